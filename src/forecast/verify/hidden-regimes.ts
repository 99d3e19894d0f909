// Case V5 of the exact suite: a process with two hidden regimes. The reward of a path depends on the filtered
// probability of the regimes, which the network must infer from the past.

import { RandomStream } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import type { FlowContextEncoder } from "../flow/problem.ts";
import { type MixtureComponents, mixtureReward } from "../flow/rewards.ts";
import { contextEncoder } from "../network/context-encoder.ts";
import { mixtureLogRewards, mixturePathProbabilities, type SuiteContext } from "./contexts.ts";
import { sampleToken, type TransitionTable } from "./processes.ts";
import {
  DEFAULT_CASE_SETTINGS,
  HELD_OUT_CONTEXTS,
  repeat,
  type SuiteCase,
  sampleExcluding,
  suiteProblem,
} from "./suite-case.ts";

const [K, H, LENGTH] = [4, 4, 12];
const REGIMES = 2;
/** Transition probabilities of the regime, and emission probabilities of the tokens. */
const TRANSITIONS: TransitionTable = Float64Array.of(0.9, 0.1, 0.15, 0.85);
const EMISSIONS: TransitionTable = Float64Array.of(0.55, 0.3, 0.1, 0.05, 0.05, 0.1, 0.25, 0.6);

export function hiddenRegimes(): SuiteCase {
  const components = regimeComponents();
  const paths = mixturePathProbabilities(K, H, components);
  const stream = RandomStream.fromSeed(2026).split("hidden regimes");
  const heldOut = repeat(HELD_OUT_CONTEXTS, () => sampleContext(stream));
  return {
    id: "V5",
    name: "two hidden regimes",
    purpose: "a long past encoded by a recurrent network",
    problem: suiteProblem(K, H, heldOut[0], {
      reward: mixtureReward(components),
      encoder: recurrentEncoder(),
    }),
    settings: DEFAULT_CASE_SETTINGS,
    sampleContext: sampleExcluding(sampleContext, heldOut),
    evaluationContexts: heldOut,
    logRewards: (context) => mixtureLogRewards(paths, context),
  };
}

function recurrentEncoder(): FlowContextEncoder {
  const encoder = contextEncoder({ kind: "gru", length: LENGTH, channels: K, width: 16 });
  const parameters = layout(encoder.params);
  return {
    contextWidth: encoder.width,
    futureWidth: 0,
    pastTokens: 0,
    learned: parameters,
    encode: (inputs, flat) => ({
      context: encoder.apply(parameters.split(flat!), { numbers: inputs.past }), // [B, W]
    }),
  };
}

/** The filtered probabilities of the regime at the last token, given all tokens. */
export function filterRegimes(tokens: readonly number[]): Float64Array {
  let belief = Float64Array.of(0.5, 0.5);
  tokens.forEach((token, i) => {
    const moved = i === 0 ? belief : next(belief);
    const joint = moved.map((share, regime) => share * EMISSIONS[regime * K + token]);
    const sum = joint.reduce((total, share) => total + share);
    belief = joint.map((share) => share / sum);
  });
  return belief;
}

function next(belief: Float64Array): Float64Array {
  return belief.map((_, to) =>
    belief.reduce((sum, share, from) => sum + share * TRANSITIONS[from * REGIMES + to], 0),
  );
}

function sampleContext(stream: RandomStream): SuiteContext {
  let regime = stream.integer(REGIMES);
  const past = repeat(LENGTH, (i) => {
    if (i > 0) regime = sampleToken(TRANSITIONS, REGIMES, regime, stream);
    return sampleToken(EMISSIONS, K, regime, stream);
  });
  const belief = next(filterRegimes(past));
  const logWeights = Float64Array.from({ length: REGIMES ** H }, (_, number) => {
    const regimes = regimesOf(number);
    return regimes.reduce(
      (sum, now, t) => sum + Math.log(t === 0 ? belief[now] : TRANSITIONS[regimes[t - 1] * REGIMES + now]),
      0,
    );
  });
  return { past, logWeights };
}

/** One mixture component for every sequence of regimes. Given the regimes, tokens are independent. */
function regimeComponents(): MixtureComponents {
  const components = REGIMES ** H;
  const logKernels = Float64Array.from({ length: components * H * K }, (_, i) => {
    const [component, t, token] = [Math.floor(i / (H * K)), Math.floor(i / K) % H, i % K];
    return Math.log(EMISSIONS[regimesOf(component)[t] * K + token]);
  });
  return { logKernels, components };
}

function regimesOf(number: number): number[] {
  return repeat(H, (t) => Math.floor(number / REGIMES ** (H - 1 - t)) % REGIMES);
}
