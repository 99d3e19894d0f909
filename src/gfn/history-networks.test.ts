// Networks that read the episode so far: the same in rollouts, in training and in evaluation, and never ahead of time.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, largestDifference, randomInput } from "../../test/support/gradients.ts";
import { compile, RandomStream, spec } from "../engine/index.ts";
import { flatten } from "./batch.ts";
import { dynamicsBatch, logModel } from "./dynamics-update.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { historyListing } from "./evaluate/histories.ts";
import { listedStates } from "./evaluate/listed-states.ts";
import { networkReader } from "./evaluate/network-tables.ts";
import { ENCODER_READS, type EncoderOptions } from "./history-encoder.ts";
import { type Model, model as modelOf } from "./model.ts";
import { policyPass } from "./policy-pass.ts";
import { type Episodes, follow } from "./rollout.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
const [T, A] = [3, 2];
const listed = historyListing(environment);
const encoder = (reads: EncoderOptions["reads"]) => ({
  reads,
  layers: 2,
  width: 4,
  heads: 2,
  feedForward: 6,
});

/** Every pair of thought and string, as numbers [T, B]: intention and outcome of step t are digits of the row. */
const B = (A * A) ** T;
const digit = (row: number, place: number) => Math.floor(row / A ** place) % A;
const actions = Int32Array.from({ length: T * B }, (_, i) => digit(i % B, 2 * Math.floor(i / B)));
const outcomes = Int32Array.from({ length: T * B }, (_, i) => digit(i % B, 2 * Math.floor(i / B) + 1));

function small(reads: EncoderOptions["reads"]) {
  const network = { hidden: [5], encoder: encoder(reads) };
  return modelOf(environment, { policy: network, dynamics: network });
}

/** Logits of intentions before all steps, [T·B, A] each: asked on the way, and in one pass over all steps. */
function logitsOf(model: Model, policy: np.Array, episodes: Episodes) {
  const { environment } = model;
  const { states, actions, outcomes } = episodes;
  const along = model.policyAlong(policy);
  const logits = actions.map((action, t) =>
    t === 0
      ? np.broadcastTo(along(environment.start(1), null), action.shape)
      : along(states[t], { action: actions[t - 1], outcome: outcomes[t - 1] }),
  ); // T × [B, A]
  const { forward } = policyPass(model, policy, flatten(environment, episodes), { last: false }); // [(T + 1)·B, A]
  const before = logits.length * actions[0].shape[0];
  return { along: np.concatenate(logits, 0), pass: np.split(forward, [before], 0)[0] };
}

/** The history that a row is in before step t, by its number in the listing. */
function historyOf(row: number, t: number): number {
  let history = 0;
  for (let s = 0; s < t; s++)
    history = history * A * A + 1 + actions[s * B + row] * A + outcomes[s * B + row];
  return history;
}

describe.each(ENCODER_READS)("networks that read what is %s", (reads) => {
  const model = small(reads);
  const policy = randomInput([model.policyLayout.size], "policy", 0.5);
  const dynamics = randomInput([model.dynamicsLayout.size], "dynamics", 0.5);
  const numbers = {
    actions: { shape: [T, B], dtype: "int32", data: actions },
    outcomes: { shape: [T, B], dtype: "int32", data: outcomes },
  } as const;
  const said = evaluate(
    (inputs) => {
      const episodes = follow(environment, { actions: inputs.actions, outcomes: inputs.outcomes });
      const batch = flatten(environment, episodes);
      return {
        ...logitsOf(model, inputs.policy, episodes),
        dynamics: logModel(model, inputs.dynamics, dynamicsBatch(model, batch, null)), // [T·B, a, c]
      };
    },
    { policy, dynamics, ...numbers },
  );

  test("say the same step by step as in one pass over all steps", () => {
    expect(largestDifference(said.along, said.pass)).toBeLessThan(1e-12);
  });

  test("say the same of every listed history or state as on the way through it", async () => {
    const states = listedStates(model);
    if (!states) throw new Error("not listed");
    const reader = await networkReader({ model, states, usesDynamics: true });
    const tables = await reader.read({
      policy: Float32Array.from(policy.data),
      dynamics: Float32Array.from(dynamics.data),
    });
    await reader.dispose();
    const stateOf = (history: number) => (reads === "realised" ? listed.prefixes[history] : history);
    for (let t = 0; t < T; t++) {
      for (let row = 0; row < B; row++) {
        const [state, at] = [stateOf(historyOf(row, t)), t * B + row];
        const odds = said.along[at * A + 1] - said.along[at * A];
        expect(tables.table[state * A + 1]).toBeCloseTo(1 / (1 + Math.exp(-odds)), 5);
        for (let i = 0; i < A * A; i++) {
          expect(tables.logDynamics?.[state * A * A + i]).toBeCloseTo(said.dynamics[at * A * A + i], 5);
        }
      }
    }
  });

  test("never see what comes later, and see what they should of what came before", () => {
    const rowsAt = (t: number) =>
      Array.from({ length: B }, (_, row) =>
        said.along.slice((t * B + row) * A, (t * B + row + 1) * A).join(),
      );
    // Rows are different histories before step t as far as they are read.
    const pasts = (t: number) => (reads === "realised" ? A : A * A) ** t;
    for (let t = 0; t < T; t++) expect(new Set(rowsAt(t)).size).toBe(pasts(t));
  });

  test("give flow and ways back by the state alone", () => {
    const { flows } = evaluate(
      (inputs) => {
        const batch = flatten(
          environment,
          follow(environment, { actions: inputs.actions, outcomes: inputs.outcomes }),
        );
        return { flows: policyPass(model, inputs.policy, batch, { last: true }).logFlow };
      },
      { policy, ...numbers },
    );
    for (let t = 0; t <= T; t++) {
      const seen = new Set(Array.from({ length: B }, (_, row) => flows[t * B + row]));
      expect(seen.size).toBe(A ** t);
    }
  });
});

test("many kinds of steps are read step by step as in one pass, too", () => {
  const letters = 5; // 25 pairs of intention and outcome
  const many = sequenceEnvironment({ alphabet: "ABCDE", length: T, stick: 0.25 });
  const model = modelOf(many, {
    policy: { hidden: [5], encoder: encoder("both") },
    dynamics: { hidden: [5] },
  });
  const stream = RandomStream.fromSeed(1);
  const rows = 12;
  const drawn = () =>
    ({
      shape: [T, rows],
      dtype: "int32",
      data: Int32Array.from({ length: T * rows }, () => stream.integer(letters)),
    }) as const;
  const said = evaluate(
    ({ policy, actions, outcomes }) => logitsOf(model, policy, follow(many, { actions, outcomes })),
    {
      policy: randomInput([model.policyLayout.size], "policy", 0.5),
      actions: drawn(),
      outcomes: drawn(),
    },
  );
  expect(largestDifference(said.along, said.pass)).toBeLessThan(1e-12);
});

test("nothing is read after the last step", () => {
  const model = small("thought");
  const step = () => ({ action: np.zeros([B, A]), outcome: np.zeros([B, A]) });
  const read = (policy: np.Array) => {
    const along = model.policyAlong(policy);
    along(environment.start(1), null);
    for (let t = 1; t < T; t++) along(environment.start(B), step());
    return { logits: along(environment.start(B), step()) };
  };
  const policy = randomInput([model.policyLayout.size], "policy", 0.5);
  expect(() => evaluate(({ policy }) => read(policy), { policy })).toThrow(
    "encoder: at most 2 steps are read, got 3",
  );
});

test("context tokens stand before every episode and change what is said", () => {
  const logits = (tokens: readonly number[]) => {
    const withContext = { ...environment, context: { tokens, vocabulary: 3 } };
    const network = { hidden: [5], encoder: encoder("both") };
    const model = modelOf(withContext, { policy: network, dynamics: { hidden: [5] } });
    const flat = randomInput([model.policyLayout.size], "policy", 0.5);
    return evaluate(
      ({ policy, ...inputs }) => {
        const episodes = follow(withContext, { actions: inputs.actions, outcomes: inputs.outcomes });
        const batch = flatten(withContext, episodes);
        const along = model.policyAlong(policy);
        const steps = episodes.actions.map((_, t) =>
          t === 0
            ? np.broadcastTo(along(withContext.start(1), null), [B, A])
            : along(episodes.states[t], {
                action: episodes.actions[t - 1],
                outcome: episodes.outcomes[t - 1],
              }),
        );
        return {
          along: np.concatenate(steps, 0),
          pass: np.split(policyPass(model, policy, batch, { last: false }).forward, [T * B], 0)[0],
        };
      },
      {
        policy: flat,
        actions: { shape: [T, B], dtype: "int32", data: actions },
        outcomes: { shape: [T, B], dtype: "int32", data: outcomes },
      },
    );
  };
  const [one, other] = [logits([0, 2]), logits([2, 0])];
  expect(largestDifference(one.along, one.pass)).toBeLessThan(1e-12);
  expect(largestDifference(one.along, other.along)).toBeGreaterThan(1e-3);
});

test("both engines agree on a policy that reads", async () => {
  const model = small("both");
  const uniform = RandomStream.fromSeed(1).fillUniform(new Float32Array(T * B * A));
  const policy = Float32Array.from(randomInput([model.policyLayout.size], "policy", 0.5).data);
  const said = await Promise.all(
    (["native", "jax"] as const).map(async (engine) => {
      const program = await compile(
        ({ policy, noise }) => {
          const steps = np.split(noise.reshape([T * B, A]), T, 0); // T × [B, A]
          const along = model.policyAlong(policy);
          let logits = along(environment.start(1), null); // [1, A]
          // Nobody reads after the last step.
          for (const step of steps.slice(1))
            logits = along(environment.start(B), { action: step, outcome: step }); // [B, A]
          return { logits };
        },
        { policy: spec([policy.length]), noise: spec([T * B * A]) },
        { name: "read", engine },
      );
      const { logits } = await program.run({ policy, noise: uniform });
      await program.dispose();
      return Float64Array.from(logits);
    }),
  );
  expect(largestDifference(said[0], said[1])).toBeLessThan(1e-4);
});
