import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkGradients,
  evaluate,
  type HostInputs,
  largestDifference,
  randomInput,
  randomTokens,
} from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { forecastNetwork } from "./network.ts";
import { completeSettings, type ForecastSettings } from "./settings.ts";
import { MISSING, type WindowSizes } from "./windows.ts";

const [B, T, H, K, L] = [3, 5, 4, 6, 2];
const shape = { context: T, recent: L, horizon: H, scaleRows: 8, drift: false, seasons: 1 };
const sizes: WindowSizes = {
  channels: 4,
  calendar: 0,
  known: 3,
  recent: L,
  steps: H,
  categories: [2, 11],
  knownCategories: [11],
};
const bins = { edges: Float64Array.of(-2, -0.5, 0, 0.5, 3), tails: [0.5, 1] as const };
const small: ForecastSettings = { horizon: H, width: 6, hidden: [7], tokenLags: 2 };

const inputs: HostInputs = {
  numbers: randomInput([B, T, 4], "numbers"),
  present: { shape: [B, T], data: [0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1] },
  codes: randomTokens([B, T, 2], 4, "codes"),
  // The oldest of the first window is missing.
  recent: { shape: [B, L], data: [MISSING, 0.2, -3, 0.7, 4, -0.1] },
  known: randomInput([B, H, 3], "known"),
  knownCodes: randomTokens([B, H, 1], 13, "known codes"),
  tokens: { ...randomTokens([B, H], K, "tokens") },
  // Of the first path the last token is missing.
  weights: { shape: [B, H], data: [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1] },
  differences: randomInput([B, H], "differences"),
};

function made(settings: Partial<ForecastSettings> = {}) {
  return forecastNetwork(completeSettings({ ...small, ...settings }), shape, sizes, bins);
}

/** Parameters drawn at random, at a temperature that is the same at every step. */
function parametersOf({ layout }: ReturnType<typeof made>, temperature: number) {
  const flat = randomInput([layout.size], "flat", 0.5);
  const data = Array.from(flat.data);
  for (const { path, offset, size } of layout.entries) {
    if (path === "logTemperature") data.fill(Math.log(temperature), offset, offset + size);
    if (path === "base") data.fill(0, offset, offset + size);
  }
  return { ...flat, data };
}

/** All probabilities, [B, H, K]. */
function lawOf(network: ReturnType<typeof made>, temperature = 1): Float64Array {
  const flat = parametersOf(network, temperature);
  return evaluate(
    ({ flat, ...arrays }) => {
      const params = network.layout.split(flat);
      return { law: network.all(params, network.read(params, arrays), arrays.tokens) };
    },
    { flat, ...inputs },
  ).law;
}

describe("the losses", () => {
  test.each(["mse", "mae", "huber"] as const)(
    "have the right gradients, with a head for %s",
    async (loss) => {
      const network = made({ ranked: 0.3, point: { loss, weight: 0.5 } });
      const { numbers, known, ...fixed } = inputs;
      const lossOf = ({ flat, ...arrays }: Readonly<Record<string, np.Array>>) =>
        network.losses(network.layout.split(flat), arrays).loss;
      const flat = randomInput([network.layout.size], "flat", 0.5);
      const checked = checkGradients(lossOf, { flat, numbers, known }, { fixed, coordinates: 5 });
      if (loss === "huber") await expectGradientsOnEngines(checked);
    },
  );

  test("are what loops over the probabilities give, whatever the temperature of drawing", () => {
    const network = made({ ranked: 1, smoothing: 0, point: null });
    const law = lawOf(network);
    const flat = parametersOf(network, 2);
    const { crossEntropy, ranked, loss } = evaluate(
      ({ flat, ...arrays }) => ({ ...network.losses(network.layout.split(flat), arrays) }),
      { flat, ...inputs },
    );
    let [entropy, score] = [0, 0];
    for (let row = 0; row < B * H; row++) {
      if (inputs.weights.data[row] === 0) continue;
      const token = inputs.tokens.data[row];
      entropy -= Math.log(law[row * K + token]) / 11;
      let below = 0;
      bins.edges.forEach((edge, k) => {
        below += law[row * K + k];
        const share = ((bins.edges[k + 1] ?? edge) - (bins.edges[k - 1] ?? edge)) / 2;
        score += (share * (below - (token <= k ? 1 : 0)) ** 2) / 11;
      });
    }
    expect(crossEntropy[0]).toBeCloseTo(entropy, 10);
    expect(ranked[0]).toBeCloseTo(score, 10);
    expect(loss[0]).toBeCloseTo(entropy + score, 10);
  });

  test("do not count what is missing", () => {
    const network = made({ ranked: 1, point: { loss: "mse", weight: 1 } });
    const flat = randomInput([network.layout.size], "flat", 0.5);
    const lossWith = (token: number, difference: number) => {
      const tokens = {
        ...inputs.tokens,
        data: Array.from(inputs.tokens.data, (x, i) => (i === 3 ? token : x)),
      };
      const differences = {
        ...inputs.differences,
        data: Array.from(inputs.differences.data, (x, i) => (i === 3 ? difference : x)),
      };
      const all = { flat, ...inputs, tokens, differences };
      return evaluate(
        ({ flat, ...arrays }) => ({ loss: network.losses(network.layout.split(flat), arrays).loss }),
        all,
      ).loss[0];
    };
    expect(lossWith(5, 100)).toBe(lossWith(-1, 0));
  });
});

describe("the probabilities", () => {
  test("sum to one and are never below the share of the uniform law", () => {
    const law = lawOf(made({ smoothing: 0.3 }));
    for (let row = 0; row < B * H; row++) {
      const one = law.slice(row * K, (row + 1) * K);
      expect(one.reduce((sum, p) => sum + p)).toBeCloseTo(1, 6);
      expect(Math.min(...one)).toBeGreaterThan(0.299999 / K);
    }
  });

  test("at temperature T have the powers 1 / T of what they are without, made to sum to 1", () => {
    const network = made({ smoothing: 0 });
    const [law, warm] = [lawOf(network), lawOf(network, 2)];
    for (let row = 0; row < B * H; row++) {
      const roots = Array.from(law.slice(row * K, (row + 1) * K), Math.sqrt);
      const sum = roots.reduce((a, b) => a + b);
      roots.forEach((root, k) => {
        expect(warm[row * K + k]).toBeCloseTo(root / sum, 8);
      });
    }
  });

  test("are the same step by step as for whole paths", () => {
    const network = made();
    const flat = parametersOf(network, 2);
    const oneHots = Object.fromEntries(
      Array.from({ length: H }, (_, t) => [
        `token${t}`,
        {
          shape: [B, K],
          data: Array.from({ length: B * K }, (_, i) =>
            inputs.tokens.data[Math.floor(i / K) * H + t] === i % K ? 1 : 0,
          ),
        },
      ]),
    );
    const steps = evaluate(
      ({ flat, ...arrays }) => {
        const params = network.layout.split(flat);
        const read = network.read(params, arrays);
        const before = Array.from({ length: H }, (_, t) => arrays[`token${t}`]);
        return Object.fromEntries(
          before.map((_, t) => [
            `law${t}`,
            network.next(params, t, read, t > 0 ? np.stack(before.slice(0, t), 1) : undefined),
          ]),
        );
      },
      { flat, ...inputs, ...oneHots },
    );
    const law = lawOf(network, 2);
    for (let t = 0; t < H; t++) {
      const expected = Array.from(
        { length: B * K },
        (_, i) => law[(Math.floor(i / K) * H + t) * K + (i % K)],
      );
      expect(largestDifference(steps[`law${t}`], expected)).toBeLessThan(1e-12);
    }
  });
});

test("refuses settings that make no sense, in one sentence", () => {
  expect(() => completeSettings({ horizon: 0 })).toThrow(
    "forecast: horizon must be a positive whole number, got 0",
  );
  expect(() => completeSettings({ horizon: 1, smoothing: 1 })).toThrow(
    "forecast: smoothing must be in [0, 1), got 1",
  );
  expect(() => completeSettings({ horizon: 1, point: { loss: "mape" as "mse", weight: 1 } })).toThrow(
    "forecast: point.loss must be one of mse, mae, huber, got mape",
  );
  expect(() => completeSettings({ horizon: 1, lags: [7, 0] })).toThrow(
    "forecast: lags[1] must be a positive whole number, got 0",
  );
});
