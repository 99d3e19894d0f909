// How a budget is divided into rounds.

/** How many rounds there are, and how many strings each proposes. */
export interface RoundsPlan {
  readonly rounds: number;
  readonly batch: number;
}

/** What was asked for. */
export interface AskedRounds {
  readonly budget?: number;
  readonly rounds?: number;
  readonly batch?: number;
}

/** The budget and, if it is spent in rounds, their plan. What is not given follows from the rest; `otherwise` is the budget
 * if nothing says it. */
export function planRounds(
  { budget: given, rounds, batch }: AskedRounds,
  otherwise: number,
): { readonly budget: number; readonly rounds: RoundsPlan | null } {
  const product = rounds !== undefined && batch !== undefined ? rounds * batch : undefined;
  const budget = given ?? product ?? otherwise;
  if (rounds === undefined && batch === undefined) return { budget, rounds: null };
  const size = batch ?? Math.ceil(budget / (rounds ?? 1));
  return { budget, rounds: { rounds: rounds ?? Math.ceil(budget / size), batch: size } };
}
