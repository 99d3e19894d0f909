// What can be compared, by name: plain data that loads quickly, for `--help`. What each does is in `methods.ts`.

export const METHODS = {
  none: "detailed balance that takes what came out for what was intended",
  sdb: "stochastic detailed balance, joint over intentions and outcomes",
  "sdb-marginal": "stochastic detailed balance with intentions summed out",
  "sdb-marginal-uniform": "sdb-marginal with half of each batch on uniform objects throughout",
  kl: "sdb-marginal with the KL form of the loss",
  "kl-entropy": "kl that draws flatter where the entropy ratio says explore",
  "soft-q": "soft Q-learning: expects over outcomes instead of modelling them",
  eflow: "expected flows: expects over outcomes with flows instead of values",
  ppo: "proximal policy optimisation: wants reward and no variety",
  metropolis: "Metropolis-Hastings chains over objects",
  evolution: "evolutionary search over objects",
  random: "objects intended alike",
} as const;

export type MethodName = keyof typeof METHODS;
export const METHOD_NAMES = Object.keys(METHODS) as readonly MethodName[];

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

/** The method whose name may be followed by its γ. */
export const GAMMA_METHOD = "kl-entropy" satisfies MethodName;
export const DEFAULT_GAMMA = 0.5;

/** The name without its γ, and the γ if it has one: "kl-entropy:0.25". */
export function partsOf(method: string): { readonly name: string; readonly gamma: string | null } {
  const colon = method.indexOf(":");
  return colon < 0
    ? { name: method, gamma: null }
    : { name: method.slice(0, colon), gamma: method.slice(colon + 1) };
}

/** What a method is, in a few words. */
export function aboutMethod(method: string): string {
  const { name, gamma } = partsOf(method);
  const about = METHODS[name as MethodName];
  return name === GAMMA_METHOD ? `${about}, with γ = ${gamma ?? DEFAULT_GAMMA}` : about;
}

/** Why there is no such method; null if there is. */
export function methodProblem(method: string): "unknown" | "gamma" | null {
  const { name, gamma } = partsOf(method);
  if (!Object.hasOwn(METHODS, name)) return "unknown";
  if (gamma === null) return null;
  const value = /^\d*\.?\d+$/.test(gamma) ? Number(gamma) : Number.NaN;
  return name === GAMMA_METHOD && value > 0 && value < 1 ? null : "gamma";
}
