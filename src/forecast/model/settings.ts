// Settings of a forecasting model as plain data: their meaning, their rules and their completion by default values.

import { type EngineName, threadIssues } from "../../engine/index.ts";
import { type Issue, throwIssues } from "../../issues.ts";
import { type Kind, problemOf } from "../../settings/kinds.ts";
import { withoutUndefined } from "../../settings/without-undefined.ts";
import type { AffineNormalisation } from "../data/normalise.ts";
import type { ContextEncoderKind, Positions } from "../network/encoder-kinds.ts";
import {
  type FixedSetting,
  FORECAST_DEFAULTS,
  FORECAST_SETTING_KEYS,
  type NORMALISERS,
  type POINT_LOSSES,
} from "./settings-table.ts";

export { NORMALISERS, POINT_LOSSES } from "./settings-table.ts";

/** Settings of a forecasting model. All but the horizon have a default, which settings-table.ts describes. */
export interface ForecastSettings {
  /** Longest horizon of a forecast, in steps. A request may ask for a shorter one. */
  readonly horizon: number;
  /** Rows of the past that the encoder reads. */
  readonly context?: number;
  /** Steps of a season. */
  readonly season?: number;
  /**
   * Number of seasons whose mean is the location of the standardised values: 1 is the seasonal naive forecast, 0 the
   * last value.
   */
  readonly averagedSeasons?: number;
  /** Whether the location includes the mean change per season. */
  readonly drift?: boolean;
  /** Normaliser of the targets, fitted per series. */
  readonly normaliser?: (typeof NORMALISERS)[number];
  /** Normaliser of all other numeric columns. */
  readonly columnNormaliser?: AffineNormalisation;
  /** Bins between the two tails. */
  readonly bins?: number;
  /** How often training doubles the number of bins; the iterations are divided evenly among the stages. */
  readonly binDoublings?: number;
  /** Kind of the context encoder. */
  readonly encoder?: ContextEncoderKind;
  /** Position encoding of the context encoder. */
  readonly positions?: Positions;
  /** Width of the context embedding. */
  readonly width?: number;
  /** Layers of the context encoder. */
  readonly layers?: number;
  /** Attention heads of the context encoder. */
  readonly heads?: number;
  /** Widths of the hidden layers of the path network. */
  readonly hidden?: readonly number[];
  /** Number of earlier tokens that the path network sees at each step. */
  readonly tokenLags?: number;
  /** Steps back, beyond the last seasons, whose values each future step sees. */
  readonly lags?: readonly Lag[];
  /** Windows per iteration. */
  readonly batch?: number;
  /** Rows between the origins of neighbouring training windows; 1 uses all windows. */
  readonly windowStep?: number;
  /** Largest number of iterations; validation may stop training earlier. */
  readonly iterations?: number;
  readonly learningRate?: number;
  /** Weight decay of AdamW. */
  readonly weightDecay?: number;
  /** Share of each series, at its end, that is held out for validation; 0 for none. */
  readonly validationShare?: number;
  /** Iterations between validations. */
  readonly validateEvery?: number;
  /** Training stops after this many validations without improvement. */
  readonly patience?: number;
  /** Weight of the uniform distribution that is mixed into the predicted one. */
  readonly smoothing?: number;
  /** Weight of the ranked probability score in the loss, beside the cross-entropy. */
  readonly rankedWeight?: number;
  /** Loss of an additional head that predicts one value per step; "none" for no such head. */
  readonly pointLoss?: (typeof POINT_LOSSES)[number] | "none";
  /** Weight of the point loss. */
  readonly pointWeight?: number;
  /** Paths per forecast; a request may override it. */
  readonly samples?: number;
  readonly seed?: number;
  readonly engine?: EngineName;
  /** Threads of the engine. */
  readonly threads?: number;
}

/** A number of steps, or the same date of the previous year. */
export type Lag = number | "year";

/** Settings with all fixed defaults. The others stay optional, since their defaults depend on the data. */
export type CompleteForecastSettings = ForecastSettings & Required<Pick<ForecastSettings, FixedSetting>>;

interface Rule {
  /** The settings that the rule compares. The issue is reported for the first one. */
  readonly keys: readonly [keyof ForecastSettings, ...(keyof ForecastSettings)[]];
  readonly code: string;
  /** The message of the issue, or null if the rule holds. */
  problem(settings: CompleteForecastSettings): string | null;
}

/** Rules between settings. */
const RULES: readonly Rule[] = [
  {
    keys: ["width"],
    code: "range",
    problem: ({ width }) => (width % 2 === 0 ? null : `must be even, got ${width}`),
  },
  {
    keys: ["heads", "width", "encoder"],
    code: "conflict",
    // An odd width is an issue of its own.
    problem: ({ heads, width, encoder }) =>
      encoder !== "transformer" || width % 2 !== 0 || width % heads === 0
        ? null
        : `must divide \`width\`, got ${heads} heads for a width of ${width}`,
  },
];

/** Checks the settings and adds the defaults. Throws a UserError with all issues. */
export function completeForecastSettings(settings: ForecastSettings): CompleteForecastSettings {
  throwIssues(forecastSettingIssues(settings));
  return withDefaults(settings);
}

/** Throws a UserError with all issues, including those that depend on this machine. */
export async function checkForecastSettings(settings: ForecastSettings): Promise<void> {
  throwIssues(await allForecastSettingIssues(settings));
}

/** Every rule that the settings break, including those that depend on this machine. */
export async function allForecastSettingIssues(settings: ForecastSettings): Promise<readonly Issue[]> {
  const issues = forecastSettingIssues(settings);
  if (issues.some(({ path }) => path === "threads" || path === "engine")) return issues;
  const { threads, engine } = withDefaults(settings);
  return [...issues, ...(await threadIssues(threads, engine))];
}

/**
 * Every rule that the settings break. Omitted settings break none, except `horizon`, which is required. A rule between
 * settings is skipped while one of its settings is invalid.
 */
export function forecastSettingIssues(settings: object): readonly Issue[] {
  const given = withoutUndefined(settings) as Readonly<Record<string, unknown>>;
  const names = new Set(["horizon", ...Object.keys(given)]);
  const invalid = [...names].flatMap((path): Issue[] => {
    if (!Object.hasOwn(FORECAST_SETTING_KEYS, path)) {
      return [{ path, code: "unknown", message: "is not a setting of a forecasting model" }];
    }
    const { kind } = FORECAST_SETTING_KEYS[path as keyof ForecastSettings];
    const problem = problemOf(kind as Kind<unknown>, given[path]);
    return problem === null ? [] : [{ path, code: "invalid", message: problem }];
  });
  const wrong = new Set(invalid.map(({ path }) => path));
  const complete = withDefaults(given as unknown as ForecastSettings);
  const conflicts = RULES.filter(({ keys }) => !keys.some((key) => wrong.has(key))).flatMap(
    ({ keys, code, problem }): Issue[] => {
      const message = problem(complete);
      return message === null ? [] : [{ path: keys[0], code, message }];
    },
  );
  return [...invalid, ...conflicts];
}

function withDefaults(settings: ForecastSettings): CompleteForecastSettings {
  return { ...FORECAST_DEFAULTS, ...withoutUndefined(settings) };
}
