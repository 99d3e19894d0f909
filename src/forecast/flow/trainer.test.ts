// Training of flows over token paths, on a chain of three tokens whose law is known.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { packContexts, type SuiteContext } from "../verify/contexts.ts";
import { logOf, randomTable, smoothed } from "../verify/processes.ts";
import { problemOf } from "../verify/suite-case.ts";
import { uniformChannel } from "./channel.ts";
import { exactSummary } from "./exact.ts";
import type { FlowProblem } from "./problem.ts";
import { markovReward } from "./rewards.ts";
import { tableReader } from "./tables.ts";
import { createFlowTrainer, type FlowSettings } from "./trainer.ts";

const [K, H, CONTEXTS] = [3, 2, 48];
const table = logOf(smoothed(randomTable(K, K, 1, RandomStream.fromSeed(9)), K, 0.2));
const contexts: SuiteContext[] = [0, 1, 2].map((token) => ({ earlier: [token], logTables: [table, table] }));
const inputs = packContexts(
  K,
  Array.from({ length: CONTEXTS }, (_, i) => contexts[i % K]),
);
const plain = problemOf(K, H, contexts[0], { reward: markovReward(1) });
const noisy: FlowProblem = { ...plain, channel: { matrix: uniformChannel(K, 0.2) } };
const usual: FlowSettings = { network: { hidden: [16] }, contexts: CONTEXTS, learningRate: 1e-2, seed: 0 };

async function trained(problem: FlowProblem, settings: Partial<FlowSettings>, iterations: number) {
  const trainer = await createFlowTrainer(problem, { ...usual, ...settings });
  const forwardLooking = trainer.objective.forwardLooking;
  const reader = await tableReader(trainer.model, { forwardLooking });
  try {
    const draws = RandomStream.fromSeed(1).split("observed");
    let last = { loss: 0, channelLoss: null as number | null };
    for (let i = 0; i < iterations; i++) {
      const paths = Int32Array.from({ length: CONTEXTS * H }, () => draws.integer(K));
      last = await trainer.step({ inputs, paths }, i / iterations);
    }
    const params = await trainer.parameters();
    const matrix = problem.channel?.matrix ?? null;
    const exact = await exactSummary(reader, params, packContexts(K, contexts), matrix);
    return { ...last, params, exact, channel: await reader.channel(params) };
  } finally {
    await Promise.all([trainer.dispose(), reader.dispose()]);
  }
}

describe("training", () => {
  test.each<[string, FlowProblem, Partial<FlowSettings>]>([
    ["with several paths for a context", plain, { paths: 3 }],
    ["by trajectories", plain, { objective: { balance: "tb" } }],
    ["by the KL form, forward-looking", plain, { objective: { loss: "kl", forwardLooking: true } }],
    ["on given paths alone", plain, { behaviour: { given: 1 } }],
    [
      "through a channel, joint, half of it given",
      noisy,
      { objective: { form: "joint" }, behaviour: { given: 0.5 } },
    ],
  ])("comes near the law %s", async (_, problem, settings) => {
    const { exact } = await trained(problem, settings, 250);
    expect(exact.tv).toBeLessThan(0.04);
    expect(exact.logZError).toBeLessThan(0.06);
  });

  test("starts from the uniform law, which is not near", async () => {
    const { exact } = await trained(plain, { learningRate: 0 }, 1);
    expect(exact.tv).toBeGreaterThan(0.15);
  });

  test("learns the channel from what it intended", async () => {
    const learned = { ...noisy, channel: { ...noisy.channel!, learned: true } };
    const { channel, channelLoss, exact } = await trained(
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

  test("with an anchor alone leads to what was given", async () => {
    const flat = { ...contexts[0], logTables: [table, table].map((log) => log.map(() => 0)) };
    const trainer = await createFlowTrainer(plain, { ...usual, behaviour: { given: 1 }, anchor: 1000 });
    const reader = await tableReader(trainer.model);
    const paths = Int32Array.from({ length: CONTEXTS * H }, (_, i) => [2, 1][i % H]);
    const all = packContexts(
      K,
      Array.from({ length: CONTEXTS }, () => flat),
    );
    for (let i = 0; i < 60; i++) await trainer.step({ inputs: all, paths }, 0);
    const { value } = await reader.read(await trainer.parameters(), packContexts(K, [flat])).next();
    expect(value.policy[0].indexOf(Math.max(...value.policy[0]))).toBe(2);
    const second = value.policy[1].subarray(2 * K);
    expect(second.indexOf(Math.max(...second))).toBe(1);
    await Promise.all([trainer.dispose(), reader.dispose()]);
  });

  test("is the same for the same seed, and another for another", async () => {
    const [one, again, other] = await Promise.all([0, 0, 1].map((seed) => trained(plain, { seed }, 5)));
    expect(one.params).toEqual(again.params);
    expect(one.params).not.toEqual(other.params);
  });

  test("goes on from parameters that are put in", async () => {
    const trainer = await createFlowTrainer(plain, usual);
    const before = await trainer.parameters();
    await trainer.step({ inputs }, 0);
    expect(await trainer.parameters()).not.toEqual(before);
    trainer.load(before);
    expect(await trainer.parameters()).toEqual(before);
    await trainer.dispose();
  });

  test("refuses what cannot be", async () => {
    await expect(createFlowTrainer(plain, { ...usual, anchor: 1 })).rejects.toThrow(
      "flow: an anchor needs a share of given paths, got anchor 1 and none given",
    );
    const { partial: _, ...whole } = plain.reward;
    await expect(
      createFlowTrainer({ ...plain, reward: whole }, { ...usual, objective: { forwardLooking: true } }),
    ).rejects.toThrow("flow: the forward-looking form needs partial rewards, and this reward has none");
  });
});
