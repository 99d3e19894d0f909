// Policies of rounds: a trainer that is used again trains the same policies as new ones, without compiling again.

import { afterEach, expect, test, vi } from "vitest";
import { countStrings } from "../../constraints/index.ts";
import { RandomStream } from "../../engine/index.ts";
import { constrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { type PolicyData, type PolicyTrainerOptions, policyTrainer } from "./policy.ts";

const engine = vi.hoisted(() => ({ open: 0, compiled: 0 }));

vi.mock(import("../../engine/index.ts"), async (original) => {
  const real = await original();
  const compile: typeof real.compile = async (f, example, options) => {
    const program = await real.compile(f, example, options);
    engine.compiled++;
    engine.open++;
    const dispose = program.dispose.bind(program);
    program.dispose = async () => {
      engine.open--;
      await dispose();
    };
    return program;
  };
  return { ...real, compile };
});

afterEach(() => {
  expect(engine.open).toBe(0);
  engine.compiled = 0;
});

const environment = constrainedSequenceEnvironment({
  space: { tokens: ["A", "B", "C"], length: { min: 5, max: 6 } },
  constraints: [{ kind: "forbid", motif: [2, 1] }],
  noise: { kind: "none" },
});
const OPTIONS: PolicyTrainerOptions = { environment, iterations: 6, calls: 100, settings: { hidden: [8] } };

const countOf = (letter: string) => (string: string) => string.split(letter).length - 1;
/** The data of a round with this seed. Later rounds know more strings. */
function dataOf(seed: number, known = 8 * seed): PolicyData {
  const stream = RandomStream.fromSeed(seed);
  const desirability = countOf("ABC"[seed % 3]);
  const strings = new Set<string>();
  while (strings.size < known) strings.add(environment.describe(environment.uniformObject(stream)));
  return {
    known: [...strings].map((string) => ({ string, score: desirability(string) })),
    acquisition: async (texts) => texts.map(desirability),
    seed,
  };
}
const PATTERNS = [[], [0, null, null, 2, null], [null, 2, null, null, null, 0], [2, 1, null, null, null], []];
const refilled = (policy: Awaited<ReturnType<ReturnType<typeof policyTrainer>["train"]>>) =>
  policy.refill(
    Array.from({ length: 40 }, (_, i) => PATTERNS[i % PATTERNS.length]),
    RandomStream.fromSeed(9),
  );

/** What the policies of rounds write, each of a new trainer. */
async function ofNewTrainers(options: PolicyTrainerOptions, rounds: readonly PolicyData[]) {
  const written: (string | null)[][] = [];
  for (const data of rounds) {
    const trainer = policyTrainer(options);
    written.push(await refilled(await trainer.train(data)));
    await trainer.dispose();
  }
  return written;
}

/** What the policies of rounds write, all of one trainer, and how many programs it compiled. */
async function ofOneTrainer(options: PolicyTrainerOptions, rounds: readonly PolicyData[]) {
  const trainer = policyTrainer(options);
  const before = engine.compiled;
  const written: (string | null)[][] = [];
  for (const data of rounds) written.push(await refilled(await trainer.train(data)));
  await trainer.dispose();
  return { written, compiled: engine.compiled - before };
}

test.each([
  ["a perceptron", {}],
  ["a recurrent network", { network: "recurrent", encoderLayers: 1, encoderWidth: 8 } as const],
])(
  "rounds with %s write the same strings as new trainers, with programs of the first round",
  async (_, settings) => {
    const options = { ...OPTIONS, settings: { ...OPTIONS.settings, ...settings } };
    const rounds = [dataOf(1), dataOf(2), dataOf(1)];
    const { written, compiled } = await ofOneTrainer(options, rounds);
    expect(compiled).toBe(3); // update, rollout, refill
    expect(written).toEqual(await ofNewTrainers(options, rounds));
    expect(written[2]).toEqual(written[0]);
    expect(written[1]).not.toEqual(written[0]);
  },
);

test("written strings keep the letters of their patterns and are legal", async () => {
  const { written } = await ofOneTrainer(OPTIONS, [dataOf(1)]);
  written[0].forEach((string, i) => {
    const pattern = PATTERNS[i % PATTERNS.length];
    if (pattern[0] === 2) {
      expect(string).toBeNull();
      return;
    }
    expect(environment.isLegal(string ?? "")).toBe(true);
    if (pattern.length > 0) expect(string).toHaveLength(pattern.length);
    pattern.forEach((token, place) => {
      if (token !== null) expect(string?.[place]).toBe("ABC"[token]);
    });
  });
});

test("rounds that score every string have the same policies as new trainers too", async () => {
  // The first round knows too few strings to score all the others.
  const options = { ...OPTIONS, calls: Number(countStrings(environment.automaton)) - 20 };
  const rounds = [dataOf(1), dataOf(2, 30), dataOf(3, 40)];
  const { written, compiled } = await ofOneTrainer(options, rounds);
  expect(compiled).toBe(3 + 2 + 2); // a table is a part of its program, which makes the rollouts too
  expect(written).toEqual(await ofNewTrainers(options, rounds));
});

test("an aborted training frees its programs with the trainer", async () => {
  const controller = new AbortController();
  const trainer = policyTrainer({ ...OPTIONS, signal: controller.signal });
  const data = dataOf(1);
  const acquisition = async (strings: readonly string[]) => {
    controller.abort(new Error("enough"));
    return data.acquisition(strings);
  };
  await expect(trainer.train({ ...data, acquisition })).rejects.toThrow("enough");
  await trainer.dispose();
});
