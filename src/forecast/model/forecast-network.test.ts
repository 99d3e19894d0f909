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
import { forecastNetwork } from "./forecast-network.ts";
import { completeForecastSettings, type ForecastSettings, POINT_LOSSES } from "./settings.ts";
import { MISSING, type WindowSizes } from "./window-arrays.ts";

const [B, T, H, K, L] = [3, 5, 4, 6, 2];
const shape = { context: T, recent: L, horizon: H, scaleRows: 8, drift: false, averagedSeasons: 1 };
const sizes: WindowSizes = {
  channels: 4,
  calendar: 0,
  futureChannels: 3,
  recent: L,
  steps: H,
  categories: [2, 11],
  futureCategories: [11],
};
const bins = { edges: Float64Array.of(-2, -0.5, 0, 0.5, 3), tails: [0.5, 1] as const };
const small: ForecastSettings = { horizon: H, width: 6, hidden: [7], tokenLags: 2 };

const inputs: HostInputs = {
  numbers: randomInput([B, T, 4], "numbers"),
  present: { shape: [B, T], data: [0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1] },
  codes: randomTokens([B, T, 2], 4, "codes"),
  // The oldest recent value of the first window is missing.
  recent: { shape: [B, L], data: [MISSING, 0.2, -3, 0.7, 4, -0.1] },
  futureNumbers: randomInput([B, H, 3], "known"),
  futureCodes: randomTokens([B, H, 1], 13, "known codes"),
  tokens: { ...randomTokens([B, H], K, "tokens") },
  // The last token of the first path is missing.
  weights: { shape: [B, H], data: [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1] },
  standardised: randomInput([B, H], "differences"),
};

function networkOf(settings: Partial<ForecastSettings> = {}) {
  return forecastNetwork(completeForecastSettings({ ...small, ...settings }), shape, sizes, bins);
}

/** Random parameters, with the same temperature at every step. */
function randomParameters({ layout }: ReturnType<typeof networkOf>, temperature: number) {
  const flat = randomInput([layout.size], "flat", 0.5);
  const data = Array.from(flat.data);
  for (const { path, offset, size } of layout.entries) {
    if (path === "logTemperature") data.fill(Math.log(temperature), offset, offset + size);
    if (path === "base") data.fill(0, offset, offset + size);
  }
  return { ...flat, data };
}

/** All token probabilities, [B, H, K]. */
function probabilitiesOf(network: ReturnType<typeof networkOf>, temperature = 1): Float64Array {
  const flat = randomParameters(network, temperature);
  return evaluate(
    ({ flat, ...arrays }) => {
      const params = network.layout.split(flat);
      const windows = network.encode(params, arrays);
      return { probabilities: network.pathProbabilities(params, windows, arrays.tokens) };
    },
    { flat, ...inputs },
  ).probabilities;
}

describe("the losses", () => {
  test.each(POINT_LOSSES)("have the right gradients with the point loss %s", async (pointLoss) => {
    const network = networkOf({ rankedWeight: 0.3, pointLoss, pointWeight: 0.5 });
    const { numbers, futureNumbers, ...fixed } = inputs;
    const lossOf = ({ flat, ...arrays }: Readonly<Record<string, np.Array>>) =>
      network.losses(network.layout.split(flat), arrays).loss;
    const flat = randomInput([network.layout.size], "flat", 0.5);
    const checked = checkGradients(lossOf, { flat, numbers, futureNumbers }, { fixed, coordinates: 5 });
    if (pointLoss === "huber") await expectGradientsOnEngines(checked);
  });

  test("equal sums over the probabilities at temperature 1, whatever the temperature of sampling", () => {
    const network = networkOf({ rankedWeight: 1, smoothing: 0 });
    const probabilities = probabilitiesOf(network);
    const flat = randomParameters(network, 2);
    const { crossEntropy, ranked, loss } = evaluate(
      ({ flat, ...arrays }) => ({ ...network.losses(network.layout.split(flat), arrays) }),
      { flat, ...inputs },
    );
    let [entropy, score] = [0, 0];
    for (let row = 0; row < B * H; row++) {
      if (inputs.weights.data[row] === 0) continue;
      const token = inputs.tokens.data[row];
      entropy -= Math.log(probabilities[row * K + token]) / 11;
      let below = 0;
      bins.edges.forEach((edge, k) => {
        below += probabilities[row * K + k];
        const width = ((bins.edges[k + 1] ?? edge) - (bins.edges[k - 1] ?? edge)) / 2;
        score += (width * (below - (token <= k ? 1 : 0)) ** 2) / 11;
      });
    }
    expect(crossEntropy[0]).toBeCloseTo(entropy, 10);
    expect(ranked[0]).toBeCloseTo(score, 10);
    expect(loss[0]).toBeCloseTo(entropy + score, 10);
  });

  test("ignore missing values", () => {
    const network = networkOf({ rankedWeight: 1, pointLoss: "mse" });
    const flat = randomInput([network.layout.size], "flat", 0.5);
    const missing = 3;
    const withValue = (name: string, value: number) => ({
      ...inputs[name],
      data: Array.from(inputs[name].data, (x, i) => (i === missing ? value : x)),
    });
    const lossWith = (token: number, value: number) =>
      evaluate(({ flat, ...arrays }) => ({ loss: network.losses(network.layout.split(flat), arrays).loss }), {
        flat,
        ...inputs,
        tokens: withValue("tokens", token),
        standardised: withValue("standardised", value),
      }).loss[0];
    expect(lossWith(5, 100)).toBe(lossWith(-1, 0));
  });
});

describe("the probabilities", () => {
  test("sum to 1 and are at least the smoothing share of the uniform distribution", () => {
    const probabilities = probabilitiesOf(networkOf({ smoothing: 0.3 }));
    for (let row = 0; row < B * H; row++) {
      const ofStep = probabilities.slice(row * K, (row + 1) * K);
      expect(ofStep.reduce((sum, p) => sum + p)).toBeCloseTo(1, 6);
      expect(Math.min(...ofStep)).toBeGreaterThan(0.299999 / K);
    }
  });

  test("at temperature T are proportional to the power 1 / T of those at temperature 1", () => {
    const network = networkOf({ smoothing: 0 });
    const [cold, warm] = [probabilitiesOf(network), probabilitiesOf(network, 2)];
    for (let row = 0; row < B * H; row++) {
      const roots = Array.from(cold.slice(row * K, (row + 1) * K), Math.sqrt);
      const sum = roots.reduce((a, b) => a + b);
      roots.forEach((root, k) => {
        expect(warm[row * K + k]).toBeCloseTo(root / sum, 8);
      });
    }
  });

  test("are the same step by step as for entire paths", () => {
    const network = networkOf();
    const flat = randomParameters(network, 2);
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
    const byStep = evaluate(
      ({ flat, ...arrays }) => {
        const params = network.layout.split(flat);
        const windows = network.encode(params, arrays);
        const tokens = Array.from({ length: H }, (_, t) => arrays[`token${t}`]);
        const before = (t: number) => (t > 0 ? np.stack(tokens.slice(0, t), 1) : undefined); // [B, t, K]
        return Object.fromEntries(
          tokens.map((_, t) => [`step${t}`, network.stepProbabilities(params, t, windows, before(t))]),
        );
      },
      { flat, ...inputs, ...oneHots },
    );
    const probabilities = probabilitiesOf(network, 2);
    for (let t = 0; t < H; t++) {
      const expected = Array.from(
        { length: B * K },
        (_, i) => probabilities[(Math.floor(i / K) * H + t) * K + (i % K)],
      );
      expect(largestDifference(byStep[`step${t}`], expected)).toBeLessThan(1e-12);
    }
  });
});
