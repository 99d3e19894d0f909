// The only file that imports @bsull/augurs: MSTL with exponential smoothing (ETS), in WebAssembly.

/** A forecast of MSTL with ETS, and its one-step-ahead fit to the past. */
export interface SmoothedForecast {
  readonly point: readonly number[]; // [H]
  /** Bounds of the central interval of the requested level. */
  readonly lower: readonly number[]; // [H]
  readonly upper: readonly number[]; // [H]
  readonly fitted: readonly number[]; // [T]
}

/** Fits and forecasts one series. Returns null if no ETS model can be fitted: too few values, or too large ones. */
export type Smoother = (
  values: Float64Array,
  seasons: readonly number[],
  horizon: number,
  level: number,
) => SmoothedForecast | null;

let loaded: Promise<Smoother> | undefined;

/** Loads the package at the first call. */
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
      if (!intervals) throw new Error("augurs: a forecast must have the requested interval, got none");
      return { point, lower: intervals.lower, upper: intervals.upper, fitted: model.predictInSample().point };
    } finally {
      model.free();
    }
  };
}
