// The only file that knows @bsull/augurs: MSTL with exponential smoothing, in WebAssembly.

/** What MSTL with exponential smoothing expects, and its fit one step ahead in the past. */
export interface SmoothedForecast {
  readonly point: readonly number[]; // [H]
  /** Bounds of the central interval of the level asked for. */
  readonly lower: readonly number[]; // [H]
  readonly upper: readonly number[]; // [H]
  readonly fitted: readonly number[]; // [T]
}

/** Null where no model of the family can be fitted: too few values, or too large ones. */
export type Smoother = (
  values: Float64Array,
  seasons: readonly number[],
  horizon: number,
  level: number,
) => SmoothedForecast | null;

let loaded: Promise<Smoother> | undefined;

/** Loads the package when it is first wanted. */
export function loadSmoother(): Promise<Smoother> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Smoother> {
  const { default: fetchCode, initSync, MSTL } = await import("@bsull/augurs/mstl");
  if (typeof process === "object" && process.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    const { createRequire } = await import("node:module");
    const entry = createRequire(import.meta.url).resolve("@bsull/augurs/mstl");
    initSync({ module: await readFile(entry.replace(/\.js$/, "_bg.wasm")) });
  } else {
    await fetchCode();
  }
  return (values, seasons, horizon, level) => {
    const model = MSTL.ets([...seasons], { impute: true });
    try {
      try {
        model.fit(values);
      } catch (error) {
        if (/^(Error: )?Fit error/.test(String(error))) return null;
        throw error;
      }
      const { point, intervals } = model.predict(horizon, level);
      if (!intervals)
        throw new Error("augurs: a forecast must have the interval that was asked for, got none");
      return { point, lower: intervals.lower, upper: intervals.upper, fitted: model.predictInSample().point };
    } finally {
      model.free();
    }
  };
}
