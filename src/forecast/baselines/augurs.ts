// The only file that imports @bsull/augurs: exponential smoothing (ETS), alone and after MSTL, in WebAssembly.

/** A forecast of exponential smoothing. */
export interface SmoothedForecast {
  readonly point: readonly number[]; // [H]
  /** Bounds of the central interval of the requested level. */
  readonly lower: readonly number[]; // [H]
  readonly upper: readonly number[]; // [H]
  /** The one-step-ahead fit to the past, if the package returns it: of MSTL, but not of ETS alone. */
  readonly fitted?: readonly number[]; // [T]
}

/**
 * Fits and forecasts one series; with several seasons or without any. Returns null if no ETS model can be fitted: too few
 * values, or too large ones. Without a season there must be no missing value.
 */
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
  const [mstl, ets] = await Promise.all([import("@bsull/augurs/mstl"), import("@bsull/augurs/ets")]);
  await initialise(mstl, "@bsull/augurs/mstl");
  await initialise(ets, "@bsull/augurs/ets");
  return (values, seasons, horizon, level) => {
    const hasSeason = seasons.length > 0;
    // ZZN: the best of additive and multiplicative errors and of no, additive and damped trends, by AICc; no season.
    const model = hasSeason ? mstl.MSTL.ets([...seasons], { impute: true }) : new ets.AutoETS(1, "ZZN");
    try {
      try {
        model.fit(values);
      } catch (error) {
        if (/Fit error|not enough data|no model found/.test(String(error))) return null;
        throw error;
      }
      const { point, intervals } = model.predict(horizon, level);
      if (!intervals) throw new Error("augurs: a forecast must have the requested interval, got none");
      const fitted = "predictInSample" in model ? model.predictInSample().point : undefined;
      return { point, lower: intervals.lower, upper: intervals.upper, fitted };
    } finally {
      model.free();
    }
  };
}

/** A module of WebAssembly, as the package generates it. */
interface WasmModule {
  default(): Promise<unknown>;
  initSync(options: { readonly module: Uint8Array<ArrayBuffer> }): unknown;
}

async function initialise(wasm: WasmModule, name: string): Promise<void> {
  if (typeof process === "object" && process.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    const { createRequire } = await import("node:module");
    const entry = createRequire(import.meta.url).resolve(name);
    wasm.initSync({ module: await readFile(entry.replace(/\.js$/, "_bg.wasm")) });
  } else {
    await wasm.default();
  }
}
