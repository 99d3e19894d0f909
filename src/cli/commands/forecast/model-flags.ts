// Settings of the learned model as flags, and models by name. It loads quickly, for `--help`.

import { ENGINES } from "../../../engine/engine-name.ts";
import { DEFAULTS } from "../../../forecast/model/defaults.ts";
import type { ForecastSettings } from "../../../forecast/model/index.ts";
import { kebab } from "../../config/flags.ts";
import {
  type FlagKind,
  flagOf,
  listOf,
  numberBetween,
  oneOf,
  positiveNumber,
  wholeNumber,
} from "../../flag-kinds.ts";
import type { TypedCommand } from "../../typed.ts";
import {
  COLUMN_NORMALISERS,
  ENCODERS,
  LEARNED,
  MODELS,
  NORMALISER_NAMES,
  POINT_LOSS_NAMES,
  POSITION_NAMES,
} from "./choices.ts";

/** What a model is told beside its horizon. */
export type ModelSettings = Partial<Omit<ForecastSettings, "horizon" | "season" | "point">> & {
  readonly point?: (typeof POINT_LOSS_NAMES)[number];
  readonly pointWeight?: number;
};

const share = (high: number) => numberBetween(0, high);
const lag: FlagKind<number | "year"> = {
  rule: "a lag",
  read: (text) => (text === "year" ? text : wholeNumber().read(text)),
};
const yesOrNo: FlagKind<boolean> = {
  rule: "true or false",
  read: (text) => (text === "true" ? true : text === "false" ? false : undefined),
};
const wholes = listOf(wholeNumber(), "whole numbers above 0, apart by commas");

/** By the name in `ModelSettings`: its argument, what it says (beside a default that is always the same), and what it takes. */
const MODEL_FLAGS: Readonly<
  Record<keyof ModelSettings, readonly [argument: string, description: string, FlagKind<unknown>]>
> = {
  encoder: ["<name>", `reads the past: ${ENCODERS.join(", ")}`, oneOf(ENCODERS)],
  positions: ["<name>", `how it knows places: ${POSITION_NAMES.join(", ")}`, oneOf(POSITION_NAMES)],
  context: ["<n>", "steps of the past that it reads (default: by horizon and season)", wholeNumber()],
  normaliser: [
    "<name>",
    `how targets are read, series by series: ${NORMALISER_NAMES.join(", ")}`,
    oneOf(NORMALISER_NAMES),
  ],
  columnNormaliser: [
    "<name>",
    `how other columns of numbers are: ${COLUMN_NORMALISERS.join(", ")}`,
    oneOf(COLUMN_NORMALISERS),
  ],
  bins: ["<n>", "tokens between the two tails", wholeNumber(1, 4096)],
  refine: ["<n>", "how often bins are doubled in the course of training", wholeNumber(0, 6)],
  tokenLags: ["<n>", "tokens before a step that it sees", wholeNumber()],
  lags: [
    "<a,b>",
    "steps back that each step ahead sees; year is the same date (default: by the step)",
    listOf(lag, "whole numbers above 0 or year, apart by commas"),
  ],
  seasons: ["<n>", "seasons whose mean is expected to come again (default: by the data)", wholeNumber()],
  drift: ["<true|false>", "whether the change from season to season is expected, too", yesOrNo],
  width: ["<n>", "numbers that the past comes to", wholeNumber()],
  layers: ["<n>", "layers of the encoder", wholeNumber()],
  heads: ["<n>", "heads of its attention", wholeNumber()],
  hidden: ["<a,b>", "widths of the layers that say the next token", wholes],
  batch: ["<n>", "windows of an iteration", wholeNumber()],
  windowStep: [
    "<n>",
    "rows from one window that is learned from to the next; context + horizon and more: none share a row",
    wholeNumber(),
  ],
  iterations: ["<n>", "at most; validation may stop earlier", wholeNumber()],
  learningRate: ["<x>", "of AdamW, falling by a cosine", positiveNumber],
  weightDecay: ["<x>", "of AdamW", share(Number.POSITIVE_INFINITY)],
  validation: ["<x>", "share of each series, at its end, that only validates", share(0.9)],
  every: ["<n>", "iterations between two validations", wholeNumber()],
  patience: ["<n>", "validations without a better one that end training", wholeNumber()],
  smoothing: ["<x>", "share of the uniform law in the trained one", share(1)],
  ranked: [
    "<x>",
    "weight of the ranked probability score beside the cross-entropy",
    share(Number.POSITIVE_INFINITY),
  ],
  point: [
    "<name>",
    `a point forecast beside the law, by its loss: ${POINT_LOSS_NAMES.join(", ")} (default: none)`,
    oneOf(POINT_LOSS_NAMES),
  ],
  pointWeight: ["<x>", "weight of that loss (default: 1)", positiveNumber],
  samples: ["<n>", "paths drawn for a forecast", wholeNumber(1, 1_000_000)],
  seed: ["<n>", "seed of training and draws", wholeNumber(0)],
  engine: [
    "<name>",
    `what runs it: ${ENGINES.join(", ")} (default: native where it is there)`,
    oneOf(ENGINES),
  ],
  threads: ["<n>", "threads of the engine", wholeNumber(1, 256)],
};

const NAMES = Object.keys(MODEL_FLAGS) as (keyof ModelSettings)[];

/** Adds them to a command, under a heading of their own. */
export function addModelFlags(command: TypedCommand, without: readonly (keyof ModelSettings)[] = []): void {
  command.optionsGroup("Learned model:");
  for (const name of NAMES) {
    if (without.includes(name)) continue;
    const [argument, description, kind] = MODEL_FLAGS[name];
    command.addOption(flagOf(command, `--${kebab(name)} ${argument}`, description + defaultOf(name), kind));
  }
}

function defaultOf(name: keyof ModelSettings): string {
  const usual = name in DEFAULTS ? DEFAULTS[name as keyof typeof DEFAULTS] : null;
  return usual === null ? "" : ` (default: ${usual})`;
}

/** What was typed about the model, out of all that was typed. */
export function modelSettingsOf(typed: Readonly<Record<string, unknown>>): ModelSettings {
  return Object.fromEntries(
    NAMES.filter((name) => typed[name] !== undefined).map((name) => [name, typed[name]]),
  );
}

/** A model as it was typed: its name and, of the learned one, settings that it has apart from the others. */
export interface TypedModel {
  readonly text: string;
  readonly name: string;
  readonly settings: ModelSettings;
}

/** Models by name; `gflownet:bins=16:encoder=gru` has settings of its own. */
export const typedModels: FlagKind<readonly TypedModel[]> = listOf(
  { rule: "a model", read: typedModel, problem: settingsProblem },
  `out of ${Object.keys(MODELS).join(", ")}, apart by commas, or ${LEARNED}:setting=value`,
);

export const ALL_MODELS: readonly TypedModel[] = Object.keys(MODELS).map(typedModel) as TypedModel[];

function typedModel(text: string): TypedModel | undefined {
  const [name, ...parts] = text.split(":");
  if (!Object.hasOwn(MODELS, name) || settingsProblem(text) !== undefined) return undefined;
  const entries = parts.map(typedSetting).map(({ key, value }) => [key, value]);
  return { text, name, settings: Object.fromEntries(entries) };
}

/** What is wrong with the settings of a model that there is. */
function settingsProblem(text: string): string | undefined {
  const [name, ...parts] = text.split(":");
  if (!Object.hasOwn(MODELS, name) || parts.length === 0) return undefined;
  if (name !== LEARNED) return `${name} takes no settings, got ${JSON.stringify(text)}`;
  for (const { typed, written, key, value } of parts.map(typedSetting)) {
    if (key === undefined) {
      return `${LEARNED} has no setting ${JSON.stringify(typed)}; those it has are in --help, as flags of the learned model`;
    }
    if (value !== undefined) continue;
    const rule = MODEL_FLAGS[key][2].rule.replace("apart by commas", "apart by +");
    return `${typed} must be ${rule}, got ${JSON.stringify(written)}`;
  }
  return undefined;
}

/** A setting behind a colon: no key if there is none of its name, and no value if it breaks its rule. */
function typedSetting(part: string) {
  const [typed, ...rest] = part.split("=");
  const written = rest.join("=");
  const key = NAMES.find((one) => kebab(one) === typed);
  // Commas part the models.
  return { typed, written, key, value: key && MODEL_FLAGS[key][2].read(written.replaceAll("+", ",")) };
}
