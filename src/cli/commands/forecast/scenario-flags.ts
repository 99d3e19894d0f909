// Scenario flags of `gflownet forecast predict`: which of them need each other and which exclude each other.

import { flagError } from "./run-command.ts";

export interface ScenarioFlags {
  readonly constraint?: string;
  readonly temperature?: number;
  readonly event?: string;
  readonly infill?: boolean;
  readonly noise?: number;
  readonly particles?: number;
  /** Name of the target that `constraint` and `event` apply to. */
  readonly target?: string;
  readonly tuneSeconds?: number;
  readonly tuneIterations?: number;
}

const NAMES: readonly (keyof ScenarioFlags)[] = [
  ...(["constraint", "temperature", "event", "infill", "noise", "particles", "target"] as const),
  ...(["tuneSeconds", "tuneIterations"] as const),
];

/** For each flag, the flags that it cannot be combined with. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  event: ["infill", "noise", "levels", "quantiles", "samples", "paths", "report"],
  infill: ["horizon", "constraint", "temperature", "noise", "target", "paths", "report"],
  tuneSeconds: ["tuneIterations"],
};
/** For each flag, a list of flags of which at least one must be given, too. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  particles: ["infill"],
  target: ["constraint", "event"],
  tuneSeconds: ["constraint", "event", "temperature", "infill"],
  tuneIterations: ["constraint", "event", "temperature", "infill"],
};

/** The first scenario flag that was given. */
export function givenScenarioFlag(flags: ScenarioFlags): keyof ScenarioFlags | undefined {
  return NAMES.find((name) => flags[name] !== undefined);
}

/** Whether paths are sampled from a distribution other than that of the model. */
export function changesPaths({ constraint, temperature, noise = 0 }: ScenarioFlags): boolean {
  return constraint !== undefined || temperature !== undefined || noise > 0;
}

/** Throws if flags exclude each other, or if a flag lacks another one that it needs. */
export function checkScenarioFlags(options: object): void {
  const isGiven = (name: string) => (options as Readonly<Record<string, unknown>>)[name] !== undefined;
  for (const [name, others] of Object.entries(EXCLUDED)) {
    const other = others.find(isGiven);
    if (isGiven(name) && other) throw flagError(name, `cannot be combined with \`${other}\``);
  }
  for (const [name, others] of Object.entries(NEEDED)) {
    if (!isGiven(name) || others.some(isGiven)) continue;
    const needed = others.map((other) => `\`${other}\``).join(", ");
    throw flagError(name, `needs ${others.length > 1 ? "one of " : ""}${needed}`);
  }
}

/** Options of fine-tuning. */
export function fineTuningOptions({ tuneSeconds, tuneIterations }: ScenarioFlags) {
  return { seconds: tuneSeconds, iterations: tuneIterations };
}
