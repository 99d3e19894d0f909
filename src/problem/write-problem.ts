// Writes a problem file with a comment for each key, and with examples of the keys that it does not use.

import { stringify } from "yaml";
import { PROBLEM_FIELDS } from "./problem-keys.ts";

/** A problem as an object with the keys of a problem file. */
export type ProblemDraft = { readonly [K in keyof typeof PROBLEM_FIELDS]?: unknown };

/** Examples of the keys that a new file does not use, for DNA of 12 letters. */
export const EXAMPLES: Partial<Readonly<Record<keyof typeof PROBLEM_FIELDS, string>>> = {
  oracle: `oracle: python3 score.py
# or: oracle: { program: python3 score.py, protocol: json, workers: 4, timeout: 60 }
# or: oracle: { url: "http://localhost:8080/score", concurrency: 4 }
# or: oracle: { landscape: nk, k: 2 }`,
  objectives: `objectives:
  - { name: binding, weight: 2 }
  - { name: toxicity, goal: minimise, worst: 10, best: 0, atMost: 4 }`,
  preferences: "preferences: fixed",
  constraints: `constraints:
  template: "AC*GT"          # ? is any letter, * any number of letters
  forbid: [GGTCTC, GANTC]
  require: [TATA]
  pairs: { C: ACT }          # after C no G
  gc: { min: 0.4, max: 0.6 }
  homopolymer: 3
  composition: [{ tokens: T, max: 4 }]
  mutations: { parent: ACTATAGCACGT, most: 6 }`,
  noise: `noise:
  stick: 0.05                # or: substitution: { A: { G: 0.02 }, C: { T: 0.03 } }
  when: building             # or: after, with insertion and deletion
  mode: within               # or: free`,
  reward: `reward:
  goal: maximise
  exponent: auto
  floor: 0.0001`,
  known: `known:
  - { string: ACTATAGCACGT, score: 0.7 }`,
  budget: "budget: 2000",
  failures: "failures: skip",
  seed: "seed: 0",
  training: `training:
  batch: 64`,
};

/** The text of a YAML file. `schema`: the path or address of the JSON Schema, for editors. */
export function formatProblem(draft: ProblemDraft, schema: string | null): string {
  const keys = Object.keys(PROBLEM_FIELDS).filter((key) => key !== "$schema") as (keyof ProblemDraft)[];
  const given = keys.filter((key) => draft[key] !== undefined);
  const others = keys.filter((key) => draft[key] === undefined && EXAMPLES[key] !== undefined);
  return [
    ...(schema === null ? [] : [`# yaml-language-server: $schema=${schema}\n`]),
    "# A problem for gflownet.\n",
    ...given.map((key) => `\n# ${comment(key)}\n${keyText(key, draft[key])}`),
    ...(others.length > 0 ? ["\n# Other keys, with examples:\n"] : []),
    ...others.map((key) => `\n# ${comment(key)}\n${commentedOut(EXAMPLES[key] as string)}\n`),
  ].join("");
}

function comment(key: keyof ProblemDraft): string {
  const { help, byDefault } = PROBLEM_FIELDS[key] as { readonly help: string; readonly byDefault?: string };
  const sentence = `${help[0].toUpperCase()}${help.slice(1)}`;
  return byDefault === undefined ? sentence : `${sentence} (default: ${byDefault})`;
}

function keyText(key: string, value: unknown): string {
  if (key === "known" && Array.isArray(value)) {
    // One line for each string. JSON is YAML too, and quoted strings are strings for every reader.
    return `known:\n${value.map((entry) => `  - ${flowText(entry)}\n`).join("")}`;
  }
  // Words such as `no` and `on`, which older readers of YAML take for booleans, get quotes.
  return stringify({ [key]: value }, { compat: "yaml-1.1", lineWidth: 0 });
}

function flowText(entry: object): string {
  return `{ ${Object.entries(entry)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(", ")} }`;
}

function commentedOut(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith("#") ? line : `# ${line}`))
    .join("\n");
}
