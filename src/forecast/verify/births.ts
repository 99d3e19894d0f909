// V11: a kernel density over windows of a real series as the reward. All its prefix flows have a closed form, so even
// here everything is known exactly.

import type { RandomStream } from "../../engine/index.ts";
import { type MixtureParts, mixtureReward } from "../flow/rewards.ts";
import { mixtureLogRewards, mixturePaths, type SuiteContext } from "./contexts.ts";
import { HELD_OUT, problemOf, repeat, type SuiteCase, USUAL } from "./suite-case.ts";

const [K, H] = [6, 4];
/** Days that are seen, and days by whose mean and deviation they are scaled. */
const [SEEN, SCALED_BY] = [7, 28];
/** Windows that the density is made of, and how near a context must be to count. */
const [WINDOWS, NEAR] = [24, 2];
/** Every so many years one is held out. */
const HELD_OUT_YEARS = 5;

/** The daily births, as [day] numbers. */
export function birthsKernelDensity(series: readonly number[]): SuiteCase {
  const origins = repeat(series.length - SCALED_BY - H, (i) => i + SCALED_BY);
  const isHeldOut = (origin: number) => Math.floor(origin / 365) % HELD_OUT_YEARS === HELD_OUT_YEARS - 1;
  const trained = origins.filter((origin) => !isHeldOut(origin));
  const apart = origins.filter(isHeldOut);
  const windows = trained.map((origin) => scaled(series, origin));
  const references = repeat(WINDOWS, (i) => windows[Math.floor(((i + 0.5) * windows.length) / WINDOWS)]);
  const edges = binEdges(windows.flatMap(({ future }) => future));
  const parts = kernels(references.map(({ future }) => future.map((value) => binOf(value, edges))));
  const paths = mixturePaths(K, H, parts);
  const contextAt = (past: readonly number[]): SuiteContext => ({
    earlier: [],
    context: past,
    logWeights: logWeights(past, references),
  });
  const contexts = windows.map(({ past }) => contextAt(past));
  const heldOut = repeat(HELD_OUT, (i) =>
    contextAt(scaled(series, apart[Math.floor((i * apart.length) / HELD_OUT)]).past),
  );
  return {
    id: "V11",
    name: "kernel density over windows of daily births",
    what: "exact flows on a real series",
    problem: problemOf(K, H, heldOut[0], { reward: mixtureReward(parts) }),
    settings: { ...USUAL, network: { hidden: [128, 128] }, iterations: 2500 },
    draw: (stream: RandomStream) => contexts[stream.integer(contexts.length)],
    heldOut,
    logRewards: (context) => mixtureLogRewards(paths, context),
  };
}

/** Days before and after an origin, by the mean and deviation of the weeks before it. */
function scaled(series: readonly number[], origin: number) {
  const weeks = series.slice(origin - SCALED_BY, origin);
  const mean = weeks.reduce((sum, value) => sum + value, 0) / SCALED_BY;
  const deviation = Math.sqrt(weeks.reduce((sum, value) => sum + (value - mean) ** 2, 0) / SCALED_BY);
  const scale = (value: number) => (value - mean) / deviation;
  return {
    past: series.slice(origin - SEEN, origin).map(scale),
    future: series.slice(origin, origin + H).map(scale),
  };
}

/** Edges between bins of equal shares. */
function binEdges(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return repeat(K - 1, (i) => sorted[Math.floor(((i + 1) * sorted.length) / K)]);
}

function binOf(value: number, edges: readonly number[]): number {
  return edges.filter((edge) => value >= edge).length;
}

/** Around each token of each window a discrete bell of one bin. */
function kernels(futures: readonly (readonly number[])[]): MixtureParts {
  const logKernels = futures.flatMap((tokens) =>
    tokens.flatMap((token) => {
      const bell = repeat(K, (x) => Math.exp(-((x - token) ** 2) / 2));
      const sum = bell.reduce((total, weight) => total + weight);
      return bell.map((weight) => Math.log(weight / sum));
    }),
  );
  return { logKernels: Float64Array.from(logKernels), parts: futures.length };
}

/** log w_i: windows count by how near their past is. */
function logWeights(
  past: readonly number[],
  references: readonly { readonly past: readonly number[] }[],
): Float64Array {
  const logs = Float64Array.from(references, (reference) => {
    const distance = past.reduce((sum, value, i) => sum + (value - reference.past[i]) ** 2, 0);
    return -distance / (2 * NEAR ** 2);
  });
  const peak = logs.reduce((most, log) => Math.max(most, log));
  const sum = logs.reduce((total, log) => total + Math.exp(log - peak), 0);
  return logs.map((log) => log - peak - Math.log(sum));
}

/** Reads the births that come with the package. */
export async function readBirths(): Promise<number[]> {
  const [{ fileURLToPath }, { readTable }] = await Promise.all([
    import("node:url"),
    import("../data/read-table.ts"),
  ]);
  const file = new URL("../../../data/us-births-1969-1988.csv.gz", import.meta.url);
  const { targets } = await readTable(fileURLToPath(file));
  return Array.from(targets[0].values);
}
