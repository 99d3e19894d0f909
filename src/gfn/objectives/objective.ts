// An objective is a balance, a form of the dynamics and a loss, chosen independently. Usual combinations have a name.

/**
 * Names of the balances: detailed balance (`db`), trajectory balance (`tb`), sub-trajectory balance (`subtb`),
 * forward-looking detailed balance (`fl-db`) and VarGrad.
 */
export const BALANCES = ["db", "tb", "subtb", "fl-db", "vargrad"] as const;
/** Names of the forms in which the dynamics of the environment enter a balance. */
export const DYNAMICS_FORMS = ["none", "none-intended", "joint", "marginal", "expected", "thought"] as const;
/** Losses that are functions of the residual of the balance. */
export const RESIDUAL_LOSSES = ["squared", "huber", "kl"] as const;
/** Names of the losses on the residuals of a balance. */
export const LOSSES = [...RESIDUAL_LOSSES, "kl-literal"] as const;

/** The balance between forward and backward flow that must hold. */
export type Balance = (typeof BALANCES)[number];
/** How the dynamics of the environment enter the balance (`balance-terms.ts`). */
export type DynamicsForm = (typeof DYNAMICS_FORMS)[number];
/** The name of a loss that is a function of the residual. */
export type ResidualLossName = (typeof RESIDUAL_LOSSES)[number];
/** The function that turns residuals into a loss. `kl-literal` compares the policies instead, and exists for comparison
 * only (`literal-kl.ts`). */
export type LossName = (typeof LOSSES)[number];

/** What training minimises: a balance, a form of the dynamics and a loss. */
export interface Objective {
  readonly balance: Balance;
  readonly dynamics: DynamicsForm;
  readonly loss: LossName;
}

/**
 * The objectives that have a name, as combinations of balance, form of the dynamics and loss.
 *
 * @example
 * ```ts
 * import { OBJECTIVES } from "gflownet";
 *
 * const { balance, dynamics, loss } = OBJECTIVES.kl;
 * console.log(balance, dynamics, loss); // db marginal kl
 * ```
 */
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

/** The name of an objective, such as `kl` or `tb`. */
export type ObjectiveName = keyof typeof OBJECTIVES;

/** Looks up an objective. The error lists the valid names. */
export function objectiveByName(name: string): Objective {
  if (Object.hasOwn(OBJECTIVES, name)) return OBJECTIVES[name as ObjectiveName];
  throw new RangeError(
    `Unknown objective ${JSON.stringify(name)}; objectives are ${Object.keys(OBJECTIVES).join(", ")}.`,
  );
}

/** Whether the objective needs a model of the dynamics. */
export function learnsDynamics({ dynamics }: Pick<Objective, "dynamics">): boolean {
  return dynamics === "joint" || dynamics === "marginal" || dynamics === "thought";
}
