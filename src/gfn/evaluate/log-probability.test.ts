// Log-probabilities of objects, against the enumeration of all states or histories, and against closed forms.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { regimeEnvironment } from "../environment/regime.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { type Model, model as modelOf } from "../policy/model.ts";
import type { ModelSettings } from "../policy/model-settings.ts";
import { defaultSettings } from "../training/defaults.ts";
import { enumeratedLogProbability } from "./enumerated-log-probability.ts";
import {
  type LogProbabilityEvaluator,
  type LogProbabilityOptions,
  logProbabilityEvaluator,
} from "./log-probability.ts";
import type { ModelParameters } from "./network-tables.ts";
import { sequenceLogProbability } from "./sequence-log-probability.ts";

const ENCODER = { encoderLayers: 1, encoderWidth: 8, encoderHeads: 2 };
const NO_TABLE = { stateTableRows: 0, dynamicsStateTableRows: 0 };

/** A model whose weights are random and large enough that the policy is far from uniform. */
function randomModel(
  environment: Environment,
  settings: Partial<ModelSettings> = {},
): Pick<LogProbabilityOptions, "model" | "parameters" | "learnsDynamics" | "engine"> {
  const model = modelOf(environment, {
    ...{ ...defaultSettings(environment), ...NO_TABLE, hidden: [6], dynamicsHidden: [4] },
    ...settings,
  });
  const stream = RandomStream.fromSeed(5);
  const weights = (size: number) => Float32Array.from({ length: size }, () => 2 * stream.uniform() - 1);
  const parameters = {
    policy: weights(model.policyLayout.size),
    dynamics: weights(model.dynamicsLayout.size),
  };
  return { model, parameters, learnsDynamics: true, engine: "native" };
}

/** All strings of a length, or of up to a length. */
function strings(alphabet: string, length: number, variable = false): string[] {
  let last = [""];
  const all = [""];
  for (let i = 0; i < length; i++) {
    last = last.flatMap((text) => Array.from(alphabet, (letter) => text + letter));
    all.push(...last);
  }
  return variable ? all : last;
}

async function logs(
  options: LogProbabilityOptions,
  objects: readonly string[],
  create: (options: LogProbabilityOptions) => Promise<LogProbabilityEvaluator> = logProbabilityEvaluator,
) {
  const evaluator = await create(options);
  try {
    return await evaluator.logProbabilities(objects);
  } finally {
    await evaluator.dispose();
  }
}

async function enumerated(options: LogProbabilityOptions, objects: readonly string[]): Promise<number[]> {
  const evaluator = await enumeratedLogProbability(options);
  return (await evaluator.logProbabilities(objects)).map(({ logProbability }) => logProbability);
}

const total = (values: readonly { logProbability: number }[]) =>
  values.reduce((sum, { logProbability }) => sum + Math.exp(logProbability), 0);

describe("a product over the letters agrees with the enumeration of all states", () => {
  test.each([
    ["strings of fixed length", { alphabet: "ABC", length: 4, stick: 0.3 }],
    ["strings without noise", { alphabet: "AB", length: 3, stick: 0 }],
    ["strings of variable length", { alphabet: "AB", length: 4, stick: 0.3, variable: true }],
  ])("for %s", async (_, options) => {
    const trained = randomModel(sequenceEnvironment(options));
    const objects = strings(options.alphabet, options.length, "variable" in options);
    const byLetters = (options: LogProbabilityOptions) => sequenceLogProbability(options, "product");
    const results = await logs(trained, objects, byLetters);
    const exact = await enumerated(trained, objects);
    results.forEach(({ logProbability, ...how }, i) => {
      expect(logProbability).toBeCloseTo(exact[i], 5);
      expect(how).toEqual({ kernel: "known", exact: true });
    });
    expect(total(results)).toBeCloseTo(1, 6);
  });
});

test("cells of a grid have the probabilities of the enumeration, which sum to 1", async () => {
  const trained = randomModel(hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }));
  const cells = [0, 1, 2].flatMap((x) => [0, 1, 2].map((y) => `${x},${y}`));
  const results = await logs(trained, cells);
  expect(results[4]).toMatchObject({ kernel: "known", exact: true });
  expect(total(results)).toBeCloseTo(1, 10);
});

describe("a policy that is conditioned on its actions", () => {
  const histories = {
    strings: sequenceEnvironment({ alphabet: "AB", length: 5, stick: 0.4 }),
    "strings of a hidden noise level": regimeEnvironment({
      alphabet: "AB",
      length: 5,
      regimes: [
        { stick: 0.1, share: 0.5 },
        { stick: 0.9, share: 0.5 },
      ],
      switching: 0.1,
    }),
  };
  const byActions = (options: LogProbabilityOptions) => sequenceLogProbability(options, "actions");
  const conditioned = (environment: Environment) => randomModel(environment, { ...ENCODER, encoder: "both" });

  test("on strings of variable length has probabilities that sum to 1", async () => {
    const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.4, variable: true });
    const results = await logs(conditioned(environment), strings("AB", 3, true));
    expect(results[5]).toMatchObject({ kernel: "known", exact: true });
    expect(total(results)).toBeCloseTo(1, 5);
  });

  test.each(Object.entries(histories))("on %s is summed over all actions exactly", async (_, environment) => {
    const trained = conditioned(environment);
    const objects = strings("AB", 5);
    const results = await logs(trained, objects, byActions);
    const exact = await enumerated(trained, objects);
    results.forEach(({ logProbability, ...how }, i) => {
      expect(logProbability).toBeCloseTo(exact[i], 4);
      expect(how).toEqual({ kernel: "known", exact: true });
    });
  });

  test.each(Object.entries(histories))(
    "on %s is estimated by importance samples if there are too many",
    async (_, environment) => {
      const trained = { ...conditioned(environment), maxActionSequences: 8, samples: 400 };
      const objects = ["ABABA", "BBBBB", "AAAAB"];
      const results = await logs(trained, objects, byActions);
      const exact = await enumerated(trained, objects);
      results.forEach((result, i) => {
        expect(result).toMatchObject({ kernel: "known", exact: false });
        const { standardError = 0, effectiveSampleSize = 0 } = result;
        expect(standardError).toBeGreaterThan(0);
        expect(standardError).toBeLessThan(0.2);
        expect(Math.abs(result.logProbability - exact[i])).toBeLessThan(4 * standardError);
        expect(effectiveSampleSize).toBeGreaterThan(50);
        expect(effectiveSampleSize).toBeLessThanOrEqual(400);
      });
      expect(await logs(trained, objects, byActions)).toEqual(results);
    },
  );
});

describe("long strings that are not enumerated", () => {
  const environment = longSequenceEnvironment({ alphabet: "ACGT", length: 50, stick: 0.2 });
  const text = "GATTACAGATTACAGATTACAGATTACAGATTACAGATTACAGATTACAG";
  const shares = [0.1, 0.2, 0.3, 0.4];

  /** All weights are 0 except the last biases, so the policy has the same distribution in every state. */
  function constantPolicy(environment: Environment): { model: Model; parameters: ModelParameters } {
    const model = modelOf(environment, {
      ...{ ...defaultSettings(environment), ...NO_TABLE, hidden: [], dynamicsHidden: [] },
    });
    const policy = new Float32Array(model.policyLayout.size);
    const { biases } = biasOf(model, policy);
    shares.forEach((share, a) => {
      biases[a] = Math.log(share);
    });
    return { model, parameters: { policy, dynamics: new Float32Array(model.dynamicsLayout.size) } };
  }

  test("have the closed form of a policy that ignores the state", async () => {
    const [result] = await logs({ ...constantPolicy(environment), learnsDynamics: true, engine: "native" }, [
      text,
    ]);
    const expected = Array.from(text, (letter) =>
      Math.log(0.8 * shares["ACGT".indexOf(letter)] + 0.2 / 4),
    ).reduce((a, b) => a + b);
    expect(result).toMatchObject({ kernel: "known", exact: true });
    expect(result.logProbability).toBeCloseTo(expected, 5);
  });

  test("have the model's own probability if the environment does not declare its kernel", async () => {
    const { kernelAt, ...undeclared } = environment;
    const [result] = await logs({ ...constantPolicy(undeclared), learnsDynamics: true, engine: "native" }, [
      text,
    ]);
    // The dynamics model has zero weights: every outcome has probability 1/4.
    expect(result).toMatchObject({ kernel: "learned", exact: true });
    expect(result.logProbability).toBeCloseTo(-50 * Math.log(4), 4);
  });

  test("need a kernel, known or learned", async () => {
    const { kernelAt, ...undeclared } = environment;
    const trained = { ...constantPolicy(undeclared), learnsDynamics: false };
    await expect(logProbabilityEvaluator(trained)).rejects.toThrow("the kernel must be known or learned");
  });

  test("must be objects of the environment", async () => {
    const evaluator = await logProbabilityEvaluator({
      ...constantPolicy(environment),
      learnsDynamics: true,
      engine: "native",
    });
    await expect(evaluator.logProbabilities(["GATTACA"])).rejects.toThrow(RangeError);
    await evaluator.dispose();
  });
});

/** The biases of the output layer of the policy, as a view of its flat parameters. */
function biasOf(model: Model, policy: Float32Array): { biases: Float32Array } {
  const entry = model.policyLayout.entries.findLast(({ path }) => /bias|\.b$/.test(path));
  if (!entry) throw new Error("the policy has no bias");
  return { biases: policy.subarray(entry.offset, entry.offset + entry.size) };
}
