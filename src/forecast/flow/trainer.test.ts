// Training of GFlowNets over token paths, on a chain of three tokens with a known distribution.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { packContexts, type SuiteContext } from "../verify/contexts.ts";
import { logarithms, randomTable, smoothed } from "../verify/processes.ts";
import { suiteProblem } from "../verify/suite-case.ts";
import { uniformChannel } from "./channel.ts";
import { exactSummary } from "./exact.ts";
import { prefixTabulator } from "./prefix-tables.ts";
import type { FlowProblem } from "./problem.ts";
import { markovReward } from "./rewards.ts";
import { type FlowSettings, flowTrainer } from "./trainer.ts";

const [K, H, CONTEXTS] = [3, 2, 48];
const table = logarithms(smoothed(randomTable(K, K, 1, RandomStream.fromSeed(9)), K, 0.2));
const contexts: SuiteContext[] = [0, 1, 2].map((token) => ({ past: [token], logTables: [table, table] }));
const inputs = packContexts(
  K,
  Array.from({ length: CONTEXTS }, (_, i) => contexts[i % K]),
);
const noiseless = suiteProblem(K, H, contexts[0], { reward: markovReward(1) });
const noisy: FlowProblem = { ...noiseless, channel: { matrix: uniformChannel(K, 0.2) } };
const defaults: FlowSettings = {
  network: { hidden: [16] },
  contexts: CONTEXTS,
  learningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
  seed: 0,
};

async function trainAndEvaluate(problem: FlowProblem, settings: Partial<FlowSettings>, iterations: number) {
  const trainer = await flowTrainer(problem, { ...defaults, ...settings });
  const forwardLooking = trainer.objective.forwardLooking;
  const tabulator = await prefixTabulator(trainer.model, { forwardLooking });
  try {
    const stream = RandomStream.fromSeed(1).split("observed");
    let last = { loss: 0, channelLoss: null as number | null };
    for (let i = 0; i < iterations; i++) {
      const offPolicyPaths = Int32Array.from({ length: CONTEXTS * H }, () => stream.integer(K));
      last = await trainer.step({ inputs, offPolicyPaths }, i / iterations);
    }
    const params = await trainer.parameters();
    const matrix = problem.channel?.matrix ?? null;
    const exact = await exactSummary(tabulator, params, packContexts(K, contexts), matrix);
    return { ...last, params, exact, channel: await tabulator.channel(params) };
  } finally {
    await Promise.all([trainer.dispose(), tabulator.dispose()]);
  }
}

describe("training", () => {
  test.each<[string, FlowProblem, Partial<FlowSettings>]>([
    ["with several paths per context", noiseless, { paths: 3 }],
    ["by trajectory balance", noiseless, { objective: { balance: "tb" } }],
    ["by the KL loss, forward-looking", noiseless, { objective: { loss: "kl", forwardLooking: true } }],
    ["on off-policy paths only", noiseless, { batchComposition: { offPolicyShare: 1 } }],
    [
      "through a channel in the joint form, half off-policy",
      noisy,
      { objective: { form: "joint" }, batchComposition: { offPolicyShare: 0.5 } },
    ],
  ])("comes near the target %s", async (_, problem, settings) => {
    const { exact } = await trainAndEvaluate(problem, settings, 250);
    expect(exact.tv).toBeLessThan(0.04);
    expect(exact.logZError).toBeLessThan(0.06);
  });

  test("starts from the uniform distribution, which is far from the target", async () => {
    const { exact } = await trainAndEvaluate(noiseless, { learningRate: 0 }, 1);
    expect(exact.tv).toBeGreaterThan(0.15);
  });

  test("learns the channel from its actions and outcomes", async () => {
    const learned = { ...noisy, channel: { ...noisy.channel!, learned: true } };
    const { channel, channelLoss, exact } = await trainAndEvaluate(
      learned,
      { objective: { forwardLooking: true } },
      400,
    );
    for (const [i, share] of channel!.entries()) {
      expect(Math.abs(share - noisy.channel!.matrix[i])).toBeLessThan(0.04);
    }
    const entropy = -(0.2 * (2 / 3) * Math.log(0.2 / 3) + (1 - 0.4 / 3) * Math.log(1 - 0.4 / 3));
    expect(channelLoss).toBeGreaterThan(0.5 * entropy);
    expect(exact.tv).toBeLessThan(0.04);
  });

  test("with a large likelihood weight leads to the off-policy paths", async () => {
    const flat = { ...contexts[0], logTables: [table, table].map((log) => log.map(() => 0)) };
    const trainer = await flowTrainer(noiseless, {
      ...defaults,
      batchComposition: { offPolicyShare: 1 },
      likelihoodWeight: 1000,
    });
    const tabulator = await prefixTabulator(trainer.model);
    const offPolicyPaths = Int32Array.from({ length: CONTEXTS * H }, (_, i) => [2, 1][i % H]);
    const all = packContexts(
      K,
      Array.from({ length: CONTEXTS }, () => flat),
    );
    for (let i = 0; i < 60; i++) await trainer.step({ inputs: all, offPolicyPaths }, 0);
    const { value } = await tabulator.tabulate(await trainer.parameters(), packContexts(K, [flat])).next();
    expect(value.policy[0].indexOf(Math.max(...value.policy[0]))).toBe(2);
    const second = value.policy[1].subarray(2 * K);
    expect(second.indexOf(Math.max(...second))).toBe(1);
    await Promise.all([trainer.dispose(), tabulator.dispose()]);
  });

  test("depends on the seed only", async () => {
    const [one, again, other] = await Promise.all(
      [0, 0, 1].map((seed) => trainAndEvaluate(noiseless, { seed }, 5)),
    );
    expect(one.params).toEqual(again.params);
    expect(one.params).not.toEqual(other.params);
  });

  test("continues from loaded parameters", async () => {
    const trainer = await flowTrainer(noiseless, defaults);
    const before = await trainer.parameters();
    await trainer.step({ inputs }, 0);
    expect(await trainer.parameters()).not.toEqual(before);
    trainer.load(before);
    expect(await trainer.parameters()).toEqual(before);
    await trainer.dispose();
  });

  test("rejects settings that contradict each other", async () => {
    await expect(flowTrainer(noiseless, { ...defaults, likelihoodWeight: 1 })).rejects.toThrow(
      "likelihoodWeight: needs off-policy paths; set batchComposition.offPolicyShare above 0",
    );
    const { partialLogRewards: _, ...terminalOnly } = noiseless.reward;
    await expect(
      flowTrainer(
        { ...noiseless, reward: terminalOnly },
        { ...defaults, objective: { forwardLooking: true } },
      ),
    ).rejects.toThrow(
      "objective.forwardLooking: needs a reward with partialLogRewards, and this reward has none",
    );
  });
});
