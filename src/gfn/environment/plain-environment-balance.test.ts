// Every balance that a plain environment allows holds at exact solutions and fails beside them, the limit reaches every
// reachable target, and training with default settings ends near the limit.

import { describe, expect, test } from "vitest";
import { largestMagnitude } from "../../../test/support/difference.ts";
import type { HostInputs } from "../../../test/support/gradients.ts";
import { randomPlainEnvironment } from "../../../test/support/random-plain-environment.ts";
import {
  balancedTables,
  type Combination,
  float64Evaluator,
  randomPolicy,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards, totalVariation } from "../../math/distances.ts";
import { visitation } from "../evaluate/exact.ts";
import { solveExpectedFlows } from "../evaluate/expected-dynamics.ts";
import { limitOf } from "../evaluate/limit.ts";
import type { DynamicsForm } from "../objectives/objective.ts";
import { checkSettings } from "../training/check-settings.ts";
import { defaultSettings } from "../training/defaults.ts";
import { train } from "../training/train.ts";
import type { Environment } from "./environment.ts";
import { environment, type PlainEnvironment } from "./plain-environment.ts";

const SEED = RandomStream.fromSeed(21);
const TRAJECTORIES = 64;

/** The forms of the dynamics that the settings permit for an environment; `expected` and `thought` have other solutions. */
function formsFor(world: PlainEnvironment<string>): DynamicsForm[] {
  const forms = ["none", "none-intended", "joint", "marginal"] as const;
  return forms.filter((dynamics) => {
    if (dynamics === "none-intended") return world.stick === 0;
    try {
      const settings = { ...defaultSettings(world), dynamics };
      checkSettings(settings, { environment: world, scores: "table", hasOfflineObjects: false });
      return true;
    } catch {
      return false;
    }
  });
}

function combinationsFor(world: PlainEnvironment<string>): Combination[] {
  return formsFor(world).flatMap((dynamics) =>
    (["db", "tb", "subtb", "vargrad"] as const).map((balance) => ({ balance, dynamics })),
  );
}

const nameOf = ({ balance, dynamics }: Combination) => `${balance} with ${dynamics}`;

describe.each([
  { seed: 1, noise: true },
  { seed: 2, noise: true },
  { seed: 6, noise: false },
])("in random world $seed, with noise: $noise,", (options) => {
  const world = randomPlainEnvironment(options);
  const enumeration = world.enumerate();
  const combinations = combinationsFor(world);
  const names = combinations.map(nameOf);
  const policy = randomPolicy(enumeration, SEED.split("policy"));
  const tables = balancedTables(world, enumeration, policy, 1.3);
  const inputs = tabularInputs(world, tables, TRAJECTORIES, SEED.split("uniform"));
  const residualsAt = float64Evaluator(
    ({ behaviour, ...all }) => {
      const batch = tabularBatch(world, behaviour, all.uniform);
      const residuals = combinations.map((combination) => [
        nameOf(combination),
        tabularResiduals(combination, batch, all).residual,
      ]);
      return { ...Object.fromEntries(residuals), terminal: batch.terminal };
    },
    { ...inputs, behaviour: inputs.forward },
  );
  const wrongAt = (changed: HostInputs) => {
    const found = residualsAt({ ...changed, behaviour: inputs.forward });
    return names.filter((name) => !(largestMagnitude(found[name]) < 1e-2));
  };
  const moved = (name: string, positions: readonly number[]) => {
    const data = Float64Array.from(inputs[name].data);
    for (const position of positions) data[position] += 0.3;
    return { ...inputs, [name]: { ...inputs[name], data } };
  };
  const { backwardActions: K, states } = world;

  test("several steps end in one object, and the settings permit the forms that the noise allows", () => {
    const stream = SEED.split("ends");
    const endsAfter = world.objects.map((_, terminal) => {
      const drawn = Array.from({ length: 50 }, () => world.sampleTrajectoryTo(terminal, stream));
      return new Set(drawn.map(({ length }) => length)).size;
    });
    expect(Math.max(...endsAfter)).toBeGreaterThan(1);
    expect(combinations.length).toBe(options.noise ? 8 : 16);
  });

  test("all residuals are zero at an exact solution", () => {
    const found = residualsAt({ ...inputs, behaviour: inputs.forward });
    for (const name of names) {
      expect(found[name].length).toBeGreaterThanOrEqual(TRAJECTORIES);
      expect(largestMagnitude(found[name])).toBeLessThan(1e-9);
    }
  });

  test("all residuals show a wrong policy, a wrong reward and a wrong backward policy of an object", () => {
    const { terminal } = residualsAt({ ...inputs, behaviour: inputs.forward });
    expect(wrongAt(moved("forward", [enumeration.offsets[1] > 0 ? 0 : 1]))).toEqual(names);
    expect(wrongAt(moved("logReward", [terminal[0]]))).toEqual(names);
    // The first parent edge of every object.
    const first = Array.from({ length: world.objects.length }, (_, i) => (states + i) * K);
    expect(wrongAt(moved("backward", first))).toEqual(names);
  });

  test("the limit reaches a target that some policy reaches", () => {
    const target = visitation(enumeration, policy).terminals;
    const limit = limitOf(world, enumeration, target);
    expect(limit.kl).toBeLessThan(1e-6);
    expect(totalVariation(limit.terminals, target)).toBeLessThan(1e-3);
  });

  test("without noise expected flows reach the target", () => {
    if (options.noise) return;
    const { target, logZ } = normaliseRewards(world.scores);
    const { policy, logFlow } = solveExpectedFlows(enumeration, world.scores);
    expect(totalVariation(visitation(enumeration, policy).terminals, target)).toBeLessThan(1e-12);
    expect(logFlow[0]).toBeCloseTo(logZ, 12);
  });
});

test("the form `none` is refused if outcomes have numbers of their own, and permitted on a board of pins", () => {
  const noisy = randomPlainEnvironment({ seed: 1, noise: true });
  const check = (world: Environment) =>
    checkSettings(defaultSettings(world, { objective: "db" }), {
      environment: world,
      scores: "table",
      hasOfflineObjects: false,
    });
  expect(() => check(noisy)).toThrow(
    "dynamics: none treats an outcome as the action with the same number, but outcomes of random world 1 have numbers of their own; use joint or marginal",
  );
  const board = environment({
    start: 0,
    actions: () => ["left", "right"],
    step: (right, push) =>
      [0, 1].map((move) => ({
        state: right + move,
        probability: (push === "right") === (move === 1) ? 0.8 : 0.2,
      })),
    reward: () => 1,
    steps: 2,
  });
  expect(() => check(board)).not.toThrow();
});

/** A ring of five places on which every step may slip; walking back is possible. */
function ring(slip: number) {
  return environment({
    name: "a ring",
    start: 0,
    actions: () => ["back", "stay", "on"],
    step(place, action) {
      const to = (place + (action === "on" ? 1 : action === "back" ? 4 : 0)) % 5;
      return [
        { state: to, probability: 1 - slip },
        { state: place, probability: slip },
      ];
    },
    reward: (place) => [1, 8, 2, 4, 0.5][place],
    steps: 3,
  });
}

// The target of the random world is reachable, so a squared loss ends at the limit too.
test.each([
  ["kl", "a slippery ring", ring(0.3)],
  ["tb", "a ring without noise", ring(0)],
  ["sdb", "a random world", randomPlainEnvironment({ seed: 2, noise: true })],
] as const)("training by %s in %s ends near the limit", async (objective, _, world) => {
  const settings = defaultSettings(world, { objective, hidden: [32] });
  const options = { ...settings, environment: world, scores: world.scores, seed: 1, iterations: 400 };
  const found: { kl: number; limit: number }[] = [];
  for await (const event of train(options)) {
    if (event.kind === "evaluation" && event.exact) {
      found.push({ kl: event.reached.kl, limit: event.limit.kl });
    }
  }
  expect(found[0].kl).toBeGreaterThan(found[0].limit + 0.2);
  expect(found[1].kl).toBeLessThan(found[1].limit + 0.01);
});
