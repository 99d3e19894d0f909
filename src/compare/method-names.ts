// The names and descriptions of all methods: plain data that loads quickly, for `--help`. `methods.ts` implements them.

import { gammaProblem } from "../gfn/objectives/entropy-ratio/options.ts";
import { show } from "../issues.ts";
import { type Kind, number, readText } from "../settings/kinds.ts";

const METHOD_DESCRIPTIONS = {
  none: "detailed balance that ignores the noise: it treats outcomes as actions",
  sdb: "stochastic detailed balance, joint over actions and outcomes",
  "sdb-marginal": "stochastic detailed balance with actions marginalised out",
  "sdb-marginal-uniform":
    "sdb-marginal in which half of every batch are trajectories to uniformly drawn objects",
  kl: "sdb-marginal with the kl loss",
  "kl-entropy": "kl with a behaviour policy that is flattened by the entropy ratio",
  "soft-q": "soft Q-learning: averages over sampled outcomes instead of learning their probabilities",
  eflow: "expected flows: averages over sampled outcomes, with flows instead of values",
  ppo: "proximal policy optimisation: maximises reward, without diversity",
  metropolis: "Metropolis-Hastings chains over objects",
  evolution: "evolutionary search over objects",
  random: "random search: draws intended objects uniformly",
} as const;

export type MethodName = keyof typeof METHOD_DESCRIPTIONS;
export const METHOD_NAMES = Object.keys(METHOD_DESCRIPTIONS) as readonly MethodName[];

export const DEFAULT_METHODS: readonly MethodName[] = [
  "none",
  "sdb",
  "sdb-marginal",
  "kl",
  "kl-entropy",
  "ppo",
  "soft-q",
  "metropolis",
  "random",
];

/** The method whose name can be followed by a value of γ: "kl-entropy:0.25". */
export const GAMMA_METHOD = "kl-entropy" satisfies MethodName;
export const DEFAULT_GAMMA = 0.5;

const GAMMA_RULE = "a number in (0, 1)";
/** A value of γ. The rule is the same as for a number in the setting `entropyGamma`. */
export const GAMMA: Kind<number> = {
  ...number(),
  rule: GAMMA_RULE,
  violation: (value) =>
    typeof value === "number" && gammaProblem(value) === null ? null : { rule: GAMMA_RULE },
};

/** A method of a comparison. A γ of null stands for the default of the method, or for a method without γ. */
export interface ParsedMethod {
  readonly name: MethodName;
  readonly gamma: number | null;
}

/** The problem with the name of a method or with its γ. */
export interface MethodProblem {
  readonly code: "unknown" | "gamma";
  /** The name of the method as it was given, without γ. */
  readonly name: string;
  readonly message: string;
}

/** Parses and checks a method such as "kl" or "kl-entropy:0.25". */
export function readMethod(
  text: string,
): { readonly value: ParsedMethod } | { readonly problem: MethodProblem } {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  if (!isMethodName(name)) {
    return { problem: { code: "unknown", name, message: `there is no method ${show(name)}` } };
  }
  if (colon < 0) return { value: { name, gamma: null } };
  const wrongGamma = (message: string) => ({ problem: { code: "gamma", name, message } as const });
  if (name !== GAMMA_METHOD) {
    return wrongGamma(`${name} has no γ; only ${GAMMA_METHOD} has one, e.g. ${GAMMA_METHOD}:0.25`);
  }
  const gamma = readText(GAMMA, text.slice(colon + 1));
  return "value" in gamma
    ? { value: { name, gamma: gamma.value } }
    : wrongGamma(`the γ of ${name} ${gamma.problem}`);
}

/** Parses a valid method. Throws a RangeError if it is invalid. */
export function parseMethod(text: string): ParsedMethod {
  const result = readMethod(text);
  if ("value" in result) return result.value;
  throw new RangeError(`parseMethod: ${result.problem.message}`);
}

/** The inverse of `parseMethod`. */
export function methodText({ name, gamma }: ParsedMethod): string {
  return gamma === null ? name : `${name}:${GAMMA.toText(gamma)}`;
}

/** The γ of a method, or null if the method has none. */
export function gammaOf({ name, gamma }: ParsedMethod): number | null {
  return name === GAMMA_METHOD ? (gamma ?? DEFAULT_GAMMA) : null;
}

/** A short description of a method. */
export function describeMethod(method: ParsedMethod): string {
  const about = METHOD_DESCRIPTIONS[method.name];
  const gamma = gammaOf(method);
  return gamma === null ? about : `${about}, with γ = ${gamma}`;
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHOD_DESCRIPTIONS, name);
}
