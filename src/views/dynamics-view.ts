// The view `dynamics`: the intended action against the outcome, by the true kernel and by the learned one, averaged over
// the steps of the policy.

import { knownKernel } from "../gfn/evaluate/sequence-log-probability.ts";
import { visitsByStep } from "./enumerated-flows.ts";
import { short, spacedIndices } from "./numbers.ts";
import type { EnumeratedRun, OpenedRun, PolicyTables } from "./opened-run.ts";
import { followSamples } from "./sampled-steps.ts";
import type { DynamicsView } from "./view-data.ts";

/** Samples of an estimate. */
const SAMPLES = 512;
/** Rows and columns of a matrix, and the numbers of all matrices. */
const [MOST_LABELS, MOST_NUMBERS] = [40, 24_000];
/** Matrices of two steps differ if some entries do by more than this. */
const DIFFERENCE = 1e-6;

/** Sums over steps: the weights of actions, and of the probabilities of their outcomes. */
interface Sums {
  readonly weights: Float64Array;
  readonly truth: Float64Array | null;
  readonly learned: Float64Array | null;
}

type Matrix = (number | null)[][];

export async function dynamicsView(run: OpenedRun): Promise<DynamicsView> {
  const tables = await run.tables();
  return tables ? exactDynamicsView(run, tables) : viewOfSums(run, await sampledSums(run), false);
}

/** The view of a policy that is known in every state. */
export function exactDynamicsView(
  run: Pick<EnumeratedRun, "task" | "labels">,
  tables: PolicyTables,
): DynamicsView {
  return viewOfSums(run, exactSums(tables), true);
}

function viewOfSums(
  { task: { environment }, labels }: Pick<EnumeratedRun, "task" | "labels">,
  byStep: readonly Sums[],
  isExact: boolean,
): DynamicsView {
  const { outcomes: C } = environment;
  const all = byStep.reduce((a, b) => added(a, b, C));
  // Rows of actions that are legal somewhere, and columns of outcomes; the most frequent ones if there are many.
  const frequency = new Float64Array(C);
  for (let a = 0; a < C; a++) {
    for (let c = 0; c < C; c++) frequency[c] += (all.truth ?? all.learned ?? [])[a * C + c] ?? 0;
  }
  const rows = heaviest(all.weights).filter((action) => all.weights[action] > 0);
  const columns = heaviest(frequency);
  const matrixOf = (weights: Float64Array, sums: Float64Array | null): Matrix =>
    rows.map((a) =>
      columns.map((c) => (sums && weights[a] > 0 ? short(sums[a * C + c] / weights[a], 5) : null)),
    );
  const matricesOf = ({ weights, truth, learned }: Sums) => ({
    truth: matrixOf(weights, truth),
    learned: learned && matrixOf(weights, learned),
  });
  const perStep = rows.length * columns.length * (all.learned ? 2 : 1);
  const shown = spacedIndices(byStep.length, Math.max(2, Math.floor(MOST_NUMBERS / perStep)));
  const steps = shown.map((step) => ({ step: step + 1, ...matricesOf(byStep[step]) }));
  const differ = steps.some(
    (each) => isDifferent(each.truth, steps[0].truth) || isDifferent(each.learned, steps[0].learned),
  );
  return {
    view: "dynamics",
    exact: isExact,
    notes: [
      "Each row has the probabilities of the outcomes of an action, averaged over the steps at which the policy takes it.",
      ...(isExact ? [] : [`The average is over the steps of ${SAMPLES} samples.`]),
      ...(all.truth ? [] : [`The true kernel of ${environment.name} is not known.`]),
      ...(environment.hasStop ? ["A stop has no outcome and no row."] : []),
      ...(columns.length < C
        ? [`Only the ${columns.length} most frequent of ${C} outcomes are shown, so rows do not sum to 1.`]
        : []),
      ...(shown.length < byStep.length ? [`${shown.length} of ${byStep.length} steps are shown.`] : []),
    ],
    actions: rows.map((action) => labels.actions[action]),
    outcomes: columns.map((outcome) => labels.outcomes[outcome]),
    ...matricesOf(all),
    steps: differ ? steps : [],
  };
}

function exactSums({ enumeration, policy, logDynamics }: PolicyTables): Sums[] {
  const { actions: A, outcomes: C, offsets, outcome, probabilities } = enumeration;
  const byStep: Sums[] = [];
  visitsByStep(enumeration, policy, (step, state, visit) => {
    byStep[step] ??= emptySums(C, true, logDynamics !== null);
    const { weights, truth, learned } = byStep[step];
    for (let action = 0; action < A; action++) {
      const row = state * A + action;
      const weight = visit * policy[row];
      if (weight === 0 || offsets[row] === offsets[row + 1] || outcome[offsets[row]] < 0) continue;
      weights[action] += weight;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        (truth as Float64Array)[action * C + outcome[i]] += weight * probabilities[i];
      }
      if (!learned || !logDynamics) continue;
      for (let c = 0; c < C; c++) {
        learned[action * C + c] += weight * Math.exp(logDynamics[(state * C + action) * C + c]);
      }
    }
  });
  return byStep;
}

async function sampledSums(run: OpenedRun): Promise<Sums[]> {
  const { environment } = run.task;
  const { outcomes: C } = environment;
  const kernelOf = knownKernel(environment);
  const byStep: Sums[] = [];
  const visit: Parameters<typeof followSamples>[2] = ({ step, action, path, thought, logDynamics }) => {
    byStep[step] ??= emptySums(C, kernelOf !== null, run.learnsDynamics);
    if (action >= C) return; // a stop
    const { weights, truth, learned } = byStep[step];
    weights[action]++;
    const kernel = kernelOf?.(thought, path);
    for (let c = 0; c < C; c++) {
      if (truth && kernel) truth[action * C + c] += kernel[action * C + c];
      if (learned && logDynamics) learned[action * C + c] += Math.exp(logDynamics[action * C + c]);
    }
  };
  await followSamples(run, await run.samples(SAMPLES), visit);
  return byStep;
}

function emptySums(C: number, hasTruth: boolean, hasLearned: boolean): Sums {
  return {
    weights: new Float64Array(C),
    truth: hasTruth ? new Float64Array(C * C) : null,
    learned: hasLearned ? new Float64Array(C * C) : null,
  };
}

function added(a: Sums, b: Sums, C: number): Sums {
  const sum = (x: Float64Array | null, y: Float64Array | null, size: number) =>
    x && y && Float64Array.from({ length: size }, (_, i) => x[i] + y[i]);
  return {
    weights: sum(a.weights, b.weights, C) as Float64Array,
    truth: sum(a.truth, b.truth, C * C),
    learned: sum(a.learned, b.learned, C * C),
  };
}

/** The indices of the largest values, in their own order. */
function heaviest(values: Float64Array): number[] {
  return [...values.keys()]
    .sort((a, b) => values[b] - values[a])
    .slice(0, MOST_LABELS)
    .sort((a, b) => a - b);
}

function isDifferent(a: Matrix | null, b: Matrix | null): boolean {
  if (!a || !b) return a !== b;
  return a.some((row, i) =>
    row.some((value, j) => {
      const other = b[i][j];
      return value !== null && other !== null && Math.abs(value - other) > DIFFERENCE;
    }),
  );
}
