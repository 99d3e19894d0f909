// V5: a process with two hidden regimes. What a path is worth follows from the filter over the whole context, which the
// network has to read out of it.

import { RandomStream } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import type { ContextReader } from "../flow/problem.ts";
import { type MixtureParts, mixtureReward } from "../flow/rewards.ts";
import { contextEncoder } from "../network/context-encoder.ts";
import { mixtureLogRewards, mixturePaths, type SuiteContext } from "./contexts.ts";
import { drawToken, type Table } from "./processes.ts";
import { drawnApart, HELD_OUT, problemOf, repeat, type SuiteCase, USUAL } from "./suite-case.ts";

const [K, H, LENGTH] = [4, 4, 12];
const REGIMES = 2;
/** How a regime goes on, and what it emits. */
const STAYS: Table = Float64Array.of(0.9, 0.1, 0.15, 0.85);
const EMITS: Table = Float64Array.of(0.55, 0.3, 0.1, 0.05, 0.05, 0.1, 0.25, 0.6);

export function hiddenRegimes(): SuiteCase {
  const parts = regimePaths();
  const paths = mixturePaths(K, H, parts);
  const stream = RandomStream.fromSeed(2026).split("hidden regimes");
  const heldOut = repeat(HELD_OUT, () => drawContext(stream));
  return {
    id: "V5",
    name: "two hidden regimes",
    what: "a long context read by a recurrent network",
    problem: problemOf(K, H, heldOut[0], { reward: mixtureReward(parts), reader: recurrentReader() }),
    settings: USUAL,
    draw: drawnApart(drawContext, heldOut),
    heldOut,
    logRewards: (context) => mixtureLogRewards(paths, context),
  };
}

function recurrentReader(): ContextReader {
  const encoder = contextEncoder({ kind: "gru", length: LENGTH, channels: K, width: 16 });
  const learned = layout(encoder.params);
  return {
    context: encoder.width,
    known: 0,
    earlier: 0,
    learns: learned,
    read: (inputs, flat) => ({
      context: encoder.apply(learned.split(flat!), { numbers: inputs.earlier }), // [B, W]
    }),
  };
}

/** The filter: chances of the regime of the last token, given all tokens. */
export function filtered(tokens: readonly number[]): Float64Array {
  let belief = Float64Array.of(0.5, 0.5);
  tokens.forEach((token, i) => {
    const moved = i === 0 ? belief : next(belief);
    const joint = moved.map((share, regime) => share * EMITS[regime * K + token]);
    const sum = joint.reduce((total, share) => total + share);
    belief = joint.map((share) => share / sum);
  });
  return belief;
}

function next(belief: Float64Array): Float64Array {
  return belief.map((_, to) =>
    belief.reduce((sum, share, from) => sum + share * STAYS[from * REGIMES + to], 0),
  );
}

function drawContext(stream: RandomStream): SuiteContext {
  let regime = stream.integer(REGIMES);
  const earlier = repeat(LENGTH, (i) => {
    if (i > 0) regime = drawToken(STAYS, REGIMES, regime, stream);
    return drawToken(EMITS, K, regime, stream);
  });
  const belief = next(filtered(earlier));
  const logWeights = Float64Array.from({ length: REGIMES ** H }, (_, number) => {
    const regimes = regimesOf(number);
    return regimes.reduce(
      (sum, now, t) => sum + Math.log(t === 0 ? belief[now] : STAYS[regimes[t - 1] * REGIMES + now]),
      0,
    );
  });
  return { earlier, logWeights };
}

/** One part for every string of regimes, in which tokens are independent. */
function regimePaths(): MixtureParts {
  const parts = REGIMES ** H;
  const logKernels = Float64Array.from({ length: parts * H * K }, (_, i) => {
    const [part, t, token] = [Math.floor(i / (H * K)), Math.floor(i / K) % H, i % K];
    return Math.log(EMITS[regimesOf(part)[t] * K + token]);
  });
  return { logKernels, parts };
}

function regimesOf(number: number): number[] {
  return repeat(H, (t) => Math.floor(number / REGIMES ** (H - 1 - t)) % REGIMES);
}
