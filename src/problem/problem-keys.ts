// The keys of a problem file: the rule, the meaning and the default of each. The checks, the JSON Schema and the comments
// that `gflownet init` writes derive from this table.

import { COLUMN_NAMES } from "../formats/tables/usual-columns.ts";
import { DATA_SET_KEYS } from "../gfn/training/data-set-settings.ts";
import { INPUT_KEYS } from "../gfn/training/settings-table.ts";
import { defaultText, type Key } from "../settings/keys.ts";
import { choice, type Kind, number, path, text, whole } from "../settings/kinds.ts";
import {
  byForm,
  byKey,
  checked,
  type Fields,
  listOf,
  mapOf,
  mapping,
  optional,
  plain,
  required,
  textOf,
} from "./shapes.ts";

/** Largest numbers of tokens in an alphabet and in a string. */
export const MOST_TOKENS = 1000;
export const LONGEST = 10_000;

const seed = whole(0, Number.MAX_SAFE_INTEGER);
const probability = number({ from: 0, to: 1 });

const letters = (rule: string) => textOf(text(rule), true);
const string = letters("a string over the alphabet");
const file = textOf(path());
const column = textOf(text("the name of a column"));

/** Tokens of the alphabet: one after the other in a text, or as a list. */
const tokens = byForm(
  { scalar: letters("tokens of the alphabet"), list: listOf(letters("a token"), "a list of tokens") },
  "tokens of the alphabet, such as GC or [G, C]",
);

const alphabet = byForm(
  {
    scalar: letters("DNA, RNA, protein, or the letters of the alphabet"),
    list: listOf(letters("a token"), "a list of tokens", { least: 2, most: MOST_TOKENS }),
  },
  'DNA, RNA, protein, letters such as "ACGT", or a list of tokens',
);

const lengthRange = mapping(
  {
    min: required(plain(whole(1, LONGEST)), "smallest number of tokens"),
    max: required(plain(whole(1, LONGEST)), "largest number of tokens"),
  },
  "a whole number, or { min, max }",
);

const LENGTH_RULE = `a whole number from 1 to ${LONGEST}, or { min, max }`;
const fixedLength: Kind<number> = {
  ...whole(1, LONGEST),
  rule: LENGTH_RULE,
  violation: (value) => whole(1, LONGEST).violation(value) && { rule: LENGTH_RULE },
};
const length = byForm({ scalar: plain(fixedLength), map: checked(lengthRange, minAboveMax) }, LENGTH_RULE);

const STRING_COLUMN = `the one with the first of the usual names: ${COLUMN_NAMES.string.join(", ")}`;
const SCORE_COLUMN = `the one with the first of the usual names: ${COLUMN_NAMES.score.join(", ")}`;

const version = optional(
  textOf(text("a text")),
  "change it when the same string may get another score, so that scores stored before are not used",
  "made from the program, the file or the address",
);
const timeout = (what: string) =>
  optional(plain(number({ above: 0, to: 86_400 })), `seconds until ${what} is given up`, "60");
const batch = (byDefault: string) =>
  optional(plain(whole(1, 1_000_000)), "most strings that are sent at once", byDefault);
const retries = (byDefault: string) =>
  optional(plain(whole(0, 100)), "how often a batch is sent again after a failure", byDefault);

/** The kinds of oracles, each known by its first key. */
export const ORACLES = {
  program: {
    program: required(
      byForm(
        {
          scalar: textOf(text("a program with its arguments")),
          list: listOf(textOf(text("a word")), "a list of words: the program and its arguments"),
        },
        "a program with its arguments, such as python3 score.py",
      ),
      "a program that reads strings and prints scores; it runs in the folder of this file, without a shell",
    ),
    protocol: optional(
      plain(choice(["lines", "json"])),
      "lines: one string per line in, one number per line out; json: one JSON object per line, with the string echoed",
      "lines",
    ),
    workers: optional(plain(whole(1, 1024)), "how many copies of the program run at the same time", "1"),
    timeout: timeout("the next answer"),
    batch: batch("64"),
    retries: retries("2"),
    version,
  },
  module: {
    module: required(
      file,
      "a JavaScript module that exports `score` for one string, or `scores` for a list of them",
    ),
    timeout: timeout("the next answer"),
    batch: batch("128"),
    version,
  },
  table: {
    table: required(
      file,
      "a file of strings with scores: CSV, TSV or JSON, also compressed with gzip, or Parquet",
    ),
    string: optional(column, "the column of the strings", STRING_COLUMN),
    score: optional(column, "the column of the scores", SCORE_COLUMN),
    version,
  },
  url: {
    url: required(
      textOf(text("an address that begins with http:// or https://")),
      "an address to which strings are sent as JSON by POST",
    ),
    concurrency: optional(plain(whole(1, 1024)), "how many requests are open at the same time", "4"),
    rate: optional(plain(number({ above: 0, to: 1e6 })), "most requests per second", "no limit"),
    timeout: timeout("a request"),
    batch: batch("64"),
    retries: retries("4"),
    version,
  },
  landscape: {
    landscape: required(plain(choice(["ehrlich", "nk"])), "a built-in score to try the program with"),
    file: optional(
      file,
      "ehrlich: a JSON file of instances, instead of motifs, motifLength, quantization and seed",
    ),
    instance: optional(
      plain(whole(0)),
      "ehrlich: which instance of the file, counted from 0",
      "the only one",
    ),
    motifs: optional(plain(whole(1, 1000)), "ehrlich: number of motifs"),
    motifLength: optional(plain(whole(1, 1000)), "ehrlich: letters per motif"),
    quantization: optional(plain(whole(1, 1000)), "ehrlich: levels of the match of a motif", "`motifLength`"),
    k: optional(
      plain(whole(0, LONGEST)),
      "nk: number of other positions that the contribution of a position depends on",
    ),
    seed: optional(plain(seed), "which landscape of the family", "0"),
  },
} as const satisfies Readonly<Record<string, Fields>>;

const ORACLE_RULE = `a program with its arguments, or a map with one of ${Object.keys(ORACLES).join(", ")}`;

const oracle = byForm({ scalar: textOf(text(ORACLE_RULE)), map: byKey(ORACLES, ORACLE_RULE) }, ORACLE_RULE);

const range = (kind: Kind<number>, what: string) => ({
  min: optional(plain(kind), `smallest ${what}`, "0"),
  max: optional(plain(kind), `largest ${what}`, "no limit"),
});

const composition = mapping(
  {
    tokens: required(tokens, "the tokens that are counted together"),
    ...range(number({ from: 0 }), "number or fraction of these tokens"),
    unit: optional(
      plain(choice(["count", "fraction"])),
      "whether min and max are counts or fractions of the length",
      "count",
    ),
  },
  "a map of tokens, min, max and unit",
);

const template = byForm(
  {
    scalar: letters("a template such as AC??GT"),
    list: listOf(tokens, "a list with the tokens that are allowed at each position, and ? for any"),
  },
  "a template such as AC??GT, or a list with the tokens that are allowed at each position",
);

export const CONSTRAINT_FIELDS = {
  template: optional(
    template,
    "what each position may hold: a token, ? for any, a IUPAC code such as R or N in DNA and RNA; * stands for any number of tokens",
  ),
  forbid: optional(
    listOf(string, "a list of motifs"),
    "motifs that occur nowhere; IUPAC codes stand for all their letters",
  ),
  require: optional(listOf(string, "a list of motifs"), "motifs of which each occurs at least once"),
  pairs: optional(
    mapOf(tokens, "a map from a token to the tokens that may follow it"),
    "tokens that may follow each other; after a token that is not listed, any may follow",
  ),
  gc: optional(
    checked(mapping(range(probability, "fraction of G and C"), "a map of min and max"), minAboveMax),
    "range of the fraction of G and C",
  ),
  homopolymer: optional(plain(whole(1, LONGEST)), "longest run of one token"),
  composition: optional(
    listOf(checked(composition, minAboveMax), "a list of maps of tokens, min, max and unit"),
    "how often tokens may occur",
  ),
  mutations: optional(
    mapping(
      {
        parent: required(string, "the string from which designs may differ"),
        most: required(plain(whole(0, LONGEST)), "most positions that may differ"),
      },
      "a map of parent and most",
    ),
    "at most so many substitutions from a parent",
  ),
} as const satisfies Fields;

/** Per intended token, the probability of each token that is written instead. */
const substitution = mapOf(
  mapOf(plain(probability), "a map from the token that is written to its probability"),
  "a map such as { A: { G: 0.02 } }: per intended token, the probability of each other token",
);

export const NOISE_FIELDS = {
  stick: optional(
    plain(number({ from: 0, below: 1 })),
    "probability that a token is replaced by a uniform draw",
  ),
  substitution: optional(
    byForm(
      { map: substitution, list: listOf(substitution, "a list with one map per position") },
      "a map such as { A: { G: 0.02 } }, or a list with one such map per position",
    ),
    "per intended token, the probability of each token that is written instead; the rest stays as intended",
  ),
  when: optional(
    plain(choice(["building", "after"])),
    "building: the policy sees each token that was written before it chooses the next; after: errors happen to the finished design",
    "building",
  ),
  mode: optional(
    plain(choice(["within", "free"])),
    "building: within keeps every string legal; free knows no constraints, and an illegal string gets the floor as reward",
    "within",
  ),
  insertion: optional(
    plain(number({ from: 0, below: 1 })),
    "after: probability of an inserted token at each place",
    "0",
  ),
  deletion: optional(plain(number({ from: 0, below: 1 })), "after: probability that a token is lost", "0"),
} as const satisfies Fields;

const power = number({ above: 0, to: 1e6 });
const EXPONENT_RULE = `auto, or ${power.rule}`;
const exponent: Kind<number | "auto"> = {
  rule: EXPONENT_RULE,
  argument: "<x|auto>",
  violation: (value) => (value === "auto" ? null : power.violation(value) && { rule: EXPONENT_RULE }),
  fromText: (words) => (words === "auto" ? words : power.fromText(words)),
  toText: String,
  schema: { anyOf: [{ const: "auto" }, power.schema] },
};

export const REWARD_FIELDS = {
  goal: optional(plain(choice(["maximise", "minimise"])), "whether high or low scores are good", "maximise"),
  exponent: optional(
    plain(exponent),
    "the reward is the scaled score to this power; auto chooses it by `effectiveStrings`",
    "1",
  ),
  effectiveStrings: optional(
    plain(number({ from: 1, to: 1e9 })),
    "with exponent auto: how many of the scored strings share the probability, 1/Σp²",
    "100",
  ),
  floor: optional(
    plain(number({ above: 0, to: 1 })),
    "smallest reward as a fraction of the largest",
    "0.0001",
  ),
  scale: optional(
    plain(choice(["min-max", "quantile", "none"])),
    "how scores become numbers from 0 to 1 before the exponent",
    "none; min-max if scores are minimised or one is negative",
  ),
} as const satisfies Fields;

const KNOWN_RULE = "a map of string and score, or of string and scores";

const knownString = byKey(
  {
    score: { score: required(plain(number()), "its score"), string: required(string, "the string") },
    scores: {
      scores: required(
        mapOf(plain(number()), "a map from the name of each objective to its value"),
        "with several objectives: the value of each",
      ),
      string: required(string, "the string"),
    },
  },
  KNOWN_RULE,
);

/** Most objectives: the time of an exact hypervolume grows exponentially with their number. */
export const MOST_OBJECTIVES = 6;

export const OBJECTIVE_FIELDS = {
  name: required(textOf(text("a name")), "its name: the key or column of its values"),
  goal: optional(plain(choice(["maximise", "minimise"])), "whether high or low values are good", "maximise"),
  weight: optional(
    plain(number({ from: 0, to: 1e6 })),
    "its share of the score, relative to the other weights",
    "1",
  ),
  worst: optional(plain(number()), "the value that is mapped to 0", "0; 1 if values are minimised"),
  best: optional(plain(number()), "the value that is mapped to 1", "1; 0 if values are minimised"),
  atLeast: optional(plain(number()), "a constraint: the smallest value that is allowed"),
  atMost: optional(plain(number()), "a constraint: the largest value that is allowed"),
} as const satisfies Fields;

const known = byForm(
  {
    list: listOf(knownString, `a list with ${KNOWN_RULE}`),
    map: mapping(
      {
        file: required(file, "a CSV or TSV file with a header line"),
        string: optional(column, "the column of the strings", STRING_COLUMN),
        score: optional(column, "the column of the scores; rows without a score are left out", SCORE_COLUMN),
      },
      "a map of file, string and score",
    ),
  },
  "a list of { string, score }, or a map with a file",
);

/** Settings that `reward` sets. */
const SET_BY_REWARD = ["rewardExponent", "rewardFloor", "rewardRamp"];

const training = mapping(
  Object.fromEntries(
    Object.entries<Key>({ ...INPUT_KEYS, ...DATA_SET_KEYS } as unknown as Readonly<Record<string, Key>>)
      .filter(([name]) => !SET_BY_REWARD.includes(name))
      .map(([name, key]) => [name, optional(plain(key.kind), key.help, defaultText(key))]),
  ),
  "a map of settings of training",
);

/** All keys of a problem file, in the order in which `gflownet init` writes them. */
export const PROBLEM_FIELDS = {
  $schema: optional(textOf(text("an address")), "the JSON Schema of this file, for editors; ignored"),
  alphabet: required(alphabet, "the tokens that strings consist of"),
  length: required(length, "number of tokens of a string, fixed or from min to max"),
  oracle: optional(
    oracle,
    "what scores the strings",
    "none: scores come from the laboratory, by rounds of proposals",
  ),
  objectives: optional(
    listOf(
      mapping(OBJECTIVE_FIELDS, "a map of name, goal, weight, worst, best, atLeast and atMost"),
      `a list of 2 to ${MOST_OBJECTIVES} objectives`,
      { least: 2, most: MOST_OBJECTIVES },
    ),
    "several values of each string, of which the score is the weighted mean",
    "none: the oracle gives one score",
  ),
  preferences: optional(
    plain(choice(["fixed", "conditioned"])),
    "fixed: the weights of the objectives are those of this file; conditioned: one policy learns all weights, and samples are drawn with those that are asked for",
    "fixed",
  ),
  constraints: optional(mapping(CONSTRAINT_FIELDS, "a map of constraints"), "what designs must fulfil"),
  noise: optional(
    mapping(NOISE_FIELDS, "a map of noise"),
    "how the string that is made differs from the one intended",
    "none",
  ),
  reward: optional(mapping(REWARD_FIELDS, "a map of reward shaping"), "how scores become rewards"),
  known: optional(known, "strings whose scores are known before the start; a string may occur several times"),
  budget: optional(plain(whole(1, 1e9)), "most strings that are sent to the oracle"),
  failures: optional(
    plain(choice(["skip", "floor", "stop"])),
    "what happens to a string that the oracle cannot score: it is left out, gets the floor as reward, or ends the run",
    "skip",
  ),
  seed: optional(plain(seed), "seed of all random numbers", "0"),
  training: optional(training, "settings of training that differ from their defaults"),
} as const satisfies Fields;

export const PROBLEM_SHAPE = mapping(PROBLEM_FIELDS, "a map with the keys alphabet, length and others");

function minAboveMax({ min, max }: { readonly min?: number; readonly max?: number }): string | null {
  return min !== undefined && max !== undefined && min > max
    ? `must be a min of at most max, got min ${min} and max ${max}`
    : null;
}
