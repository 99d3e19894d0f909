// An objective is three choices that combine, and names for the usual combinations.

export const BALANCES = ["db", "tb", "subtb", "fl-db", "vargrad"] as const;
export const DYNAMICS = ["none", "none-intended", "joint", "marginal", "expected", "thought"] as const;
/** Losses that are a function of the balance's residual. */
export const REGRESSIONS = ["squared", "huber", "kl"] as const;
export const LOSSES = [...REGRESSIONS, "kl-literal"] as const;

/** Which balance must hold. */
export type Balance = (typeof BALANCES)[number];
/** How the environment's dynamics enter it. */
export type DynamicsForm = (typeof DYNAMICS)[number];
export type RegressionName = (typeof REGRESSIONS)[number];
/** What is made of its residual; `kl-literal` is made of the policies instead, and for comparison only. */
export type LossName = (typeof LOSSES)[number];

export interface Objective {
  readonly balance: Balance;
  readonly dynamics: DynamicsForm;
  readonly loss: LossName;
}

export const OBJECTIVES = {
  db: { balance: "db", dynamics: "none", loss: "squared" },
  tb: { balance: "tb", dynamics: "none", loss: "squared" },
  subtb: { balance: "subtb", dynamics: "none", loss: "squared" },
  sdb: { balance: "db", dynamics: "joint", loss: "squared" },
  "sdb-marginal": { balance: "db", dynamics: "marginal", loss: "squared" },
  stb: { balance: "tb", dynamics: "joint", loss: "squared" },
  ssubtb: { balance: "subtb", dynamics: "joint", loss: "squared" },
  kl: { balance: "db", dynamics: "marginal", loss: "kl" },
  "kl-thought": { balance: "tb", dynamics: "thought", loss: "kl" },
  "kl-literal": { balance: "db", dynamics: "joint", loss: "kl-literal" },
  "soft-q": { balance: "db", dynamics: "expected", loss: "squared" },
  eflow: { balance: "db", dynamics: "expected", loss: "kl" },
} as const satisfies Record<string, Objective>;

export type ObjectiveName = keyof typeof OBJECTIVES;

/** Looks an objective up; the error lists the names there are. */
export function objectiveNamed(name: string): Objective {
  if (Object.hasOwn(OBJECTIVES, name)) return OBJECTIVES[name as ObjectiveName];
  throw new RangeError(
    `Unknown objective ${JSON.stringify(name)}; objectives are ${Object.keys(OBJECTIVES).join(", ")}.`,
  );
}
