// Rules about several keys together.

import { type Course, isAlways } from "../../gfn/course.ts";
import { gammaProblem, useProblem } from "../../gfn/entropy-ratio/options.ts";
import { objectiveProblem } from "../../gfn/settings.ts";
import type { FilledConfig } from "./defaults.ts";
import { readsThoughts } from "./encoders.ts";
import { type KeyName, keyOf, MOST_BITS } from "./keys.ts";

interface Rule {
  /** What it reads. It says nothing while one of these is wrong by itself. The first one is blamed. */
  readonly keys: readonly [KeyName, ...KeyName[]];
  problem(
    config: FilledConfig & Record<"bits" | "word" | "modes" | "dimensions" | "side", number>,
  ): string | null;
}

/** Without these hold, there is no environment. */
const TASK_RULES: readonly Rule[] = [
  {
    keys: ["bits", "word", "task"],
    problem: ({ task, bits, word }) =>
      task !== "bit-sequence" || bits % word === 0
        ? null
        : `must be divisible by word, got ${bits} bits in words of ${word}`,
  },
  {
    keys: ["side", "dimensions", "task"],
    problem({ task, side, dimensions }) {
      const cells = side ** dimensions;
      if (task !== "hypergrid" || cells <= 2 ** MOST_BITS) return null;
      return `must be smaller or have fewer dimensions: ${side}^${dimensions} cells are more than 2^${MOST_BITS}`;
    },
  },
];

const RULES: readonly Rule[] = [
  {
    keys: ["modes", "bits", "task"],
    problem: ({ task, modes, bits }) =>
      task !== "bit-sequence" || modes <= 2 ** bits
        ? null
        : `must be at most the ${2 ** bits} strings of ${bits} bits, got ${modes}`,
  },
  {
    keys: ["uniformShare", "offlineShare", "replayShare"],
    problem(config) {
      const names = ["uniformShare", "offlineShare", "replayShare"] as const;
      const largest = names.map((name) => peakOf(config[name])).reduce((a, b) => a + b);
      if (largest <= 1 + 1e-9) return null;
      const said = names.map((name) => `${name} ${keyOf(name).kind.toText(config[name])}`).join(", ");
      return `must leave room for the other shares: they may be ${largest} of the batch together (${said})`;
    },
  },
  {
    keys: ["offlineShare", "known"],
    problem: ({ offlineShare, known }) =>
      isAlways(offlineShare, 0) || known !== undefined ? null : "needs known, a file of known objects",
  },
  {
    keys: ["ownLogZ", "balance", "objective"],
    problem: ({ ownLogZ, balance }) =>
      !ownLogZ || balance === "tb" || balance === "subtb"
        ? null
        : `goes with the balances tb and subtb, not with ${balance}`,
  },
  {
    keys: ["balance", "task"],
    problem: ({ balance, task }) =>
      balance !== "fl-db" || task === "hypergrid"
        ? null
        : `fl-db needs rewards of unfinished objects, and ${task} has none; use db`,
  },
  {
    keys: ["balance", "dynamics", "objective"],
    problem: ({ balance, dynamics }) =>
      dynamics !== "expected" || balance === "db"
        ? null
        : `must be db with the dynamics expected, got ${balance}`,
  },
  {
    keys: ["loss", "dynamics", "objective"],
    problem: ({ loss, dynamics }) =>
      dynamics !== "expected" || loss !== "huber"
        ? null
        : `must be squared or kl with the dynamics expected, got ${loss}`,
  },
  ...(["uniformShare", "offlineShare"] as const).map(
    (share): Rule => ({
      keys: [share, "dynamics", "objective"],
      problem: ({ dynamics, [share]: given }) =>
        dynamics !== "expected" || isAlways(given, 0)
          ? null
          : "must be 0 with the dynamics expected, for such objects come without intentions; use epsilon or replayShare",
    }),
  ),
  {
    keys: ["replayPriority", "replayShare", "dynamics", "objective"],
    problem: ({ replayPriority, replayShare, dynamics }) =>
      dynamics !== "expected" || isAlways(replayShare, 0) || replayPriority === 0
        ? null
        : `must be 0 with the dynamics expected, for scores favour lucky outcomes, got ${replayPriority}`,
  },
  { keys: ["loss", "balance", "dynamics", "objective"], problem: objectiveProblem },
  {
    keys: ["encoderWidth"],
    problem: ({ encoderWidth }) => (encoderWidth % 2 === 0 ? null : `must be even, got ${encoderWidth}`),
  },
  {
    keys: ["encoderHeads", "encoderWidth"],
    problem: ({ encoderHeads, encoderWidth }) =>
      encoderWidth % encoderHeads === 0
        ? null
        : `must divide encoderWidth, got ${encoderHeads} heads for a width of ${encoderWidth}`,
  },
  {
    keys: ["state", "encoder"],
    problem: ({ state, encoder }) =>
      state !== "none" || encoder !== "none" ? null : "none needs an encoder, else the policy sees nothing",
  },
  {
    keys: ["dynamics", "balance", "loss", "objective"],
    problem: ({ dynamics, balance, loss }) =>
      dynamics !== "thought" || (balance === "tb" && loss === "kl")
        ? null
        : `thought goes with the balance tb and the loss kl, got ${balance} and ${loss}`,
  },
  {
    keys: ["encoder", "dynamics", "objective"],
    problem: ({ encoder, dynamics }) =>
      dynamics !== "thought" || encoder === "thought" || encoder === "both"
        ? null
        : `must be thought or both with the dynamics thought, got ${encoder}`,
  },
  {
    keys: ["dynamics", "encoder", "dynamicsEncoder", "objective"],
    problem: (config) =>
      (config.dynamics !== "joint" && config.dynamics !== "none-intended") || !readsThoughts(config)
        ? null
        : `${config.dynamics} has a backward policy that would have to read the thought as well; use marginal or thought`,
  },
  ...(["uniformShare", "offlineShare"] as const).map(
    (share): Rule => ({
      keys: [share, "encoder", "dynamicsEncoder", "dynamics", "objective"],
      problem: (config) =>
        isAlways(config[share], 0) || !readsThoughts(config)
          ? null
          : "must be 0 where the thought is read, for such objects come without it; use epsilon or replayShare",
    }),
  ),
  {
    keys: ["uniformShare", "task"],
    problem: ({ uniformShare, task }) =>
      task !== "regime" || isAlways(uniformShare, 0)
        ? null
        : "must be 0 with the task regime, whose objects are not listed; use epsilon",
  },
  {
    keys: ["loss", "objective", "task", "dimensions"],
    problem: ({ loss, task, dimensions }) =>
      loss !== "kl-literal" || task !== "hypergrid" || dimensions === 1
        ? null
        : "kl-literal needs a tree, where ways into a state differ by intention only, and hypergrid is none; use kl",
  },
  {
    keys: ["loss", "objective", "stick", "quietStick", "noisyStick"],
    problem: ({ loss, stick = 0, quietStick = 0, noisyStick = 0 }) =>
      loss !== "kl-literal" || stick + quietStick + noisyStick > 0
        ? null
        : "kl-literal is infinite without noise, for what came was intended; use kl",
  },
  { keys: ["entropyGamma"], problem: ({ entropyGamma }) => gammaProblem(entropyGamma) },
  {
    keys: ["entropyRatio", "entropyEstimator", "entropyRegulariser", "balance", "loss", "objective"],
    problem: ({ entropyRatio: use, entropyEstimator: estimator, entropyRegulariser, ...objective }) =>
      use === "none" ? null : useProblem({ use, estimator }, objective, !isAlways(entropyRegulariser, 0)),
  },
];

/** The key that is blamed, and what is wrong with it. */
export type Conflict = readonly [KeyName, string];

/** Problems that make the environment impossible, leaving out those about keys that are wrong already. */
export function taskConflicts(config: FilledConfig, wrong: ReadonlySet<string>): Conflict[] {
  return broken(TASK_RULES, config, wrong);
}

/** All other problems between keys. */
export function conflicts(config: FilledConfig, wrong: ReadonlySet<string>): Conflict[] {
  return broken(RULES, config, wrong);
}

function broken(rules: readonly Rule[], config: FilledConfig, wrong: ReadonlySet<string>): Conflict[] {
  return rules.flatMap(({ keys, problem }): Conflict[] => {
    if (keys.some((name) => wrong.has(name))) return [];
    const said = problem(config as Parameters<Rule["problem"]>[0]);
    return said ? [[keys[0], said]] : [];
  });
}

function peakOf(share: Course): number {
  return typeof share === "number" ? share : Math.max(share.from, share.to);
}
