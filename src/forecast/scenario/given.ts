// A law of which some tokens are known: paths that go through them, each as likely as the law says. So what is seen of one
// target inside the gap of another counts, and draws what stands before it towards it.
//
// At a known step all other tokens are barred and the known one keeps its probability, so a whole path is worth the
// likelihood of its open and of its known tokens. What these steps sum to is below 1, hence there is something to learn.

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../engine/index.ts";
import type { Arrays } from "../flow/problem.ts";
import type { LawContext, PathLaw } from "./law.ts";

/** log of as good as nothing; not −∞, which times 0 is no number. */
const BARRED = -1e4;

/** Paths of n steps, some of which contexts bring as `given`, one-hot [n, K], with zeros where a step is open. */
export function givenLaw(law: PathLaw, n: number): PathLaw {
  const { tokens: K, thought: W } = law;
  const innerOf = (inputs: Arrays): Arrays => ({ ...inputs, thought: inputs.thought.slice([], [0, W]) }); // [B, W]
  /** What is added to log p: 0 where a step is open or the token is the known one, [..., K]. */
  const bars = (given: np.Array) => {
    const known = np.sum(given, -1, { keepdims: true }); // [..., 1]
    return np.multiply(np.subtract(known, given), BARRED); // [..., K]
  };
  return {
    ...law,
    thought: W + 2 * n,
    inputs: { ...law.inputs, thought: spec([W + 2 * n]), given: spec([n, K]) },
    improper: true,
    at(inputs, t, path) {
      return np.add(law.at(innerOf(inputs), t, path), bars(inputs.given.slice([], t))); // [B, K]
    },
    all(inputs, paths) {
      const [B, steps] = paths.shape;
      const inside = bars(inputs.given); // [B, n, K]
      const open = () => np.zeros([B, steps - n, K]); // [B, steps − n, K]
      const whole = steps > n ? np.concatenate([inside, open()], 1) : inside; // [B, steps, K]
      return np.add(law.all(innerOf(inputs), paths), whole); // [B, steps, K]
    },
  };
}

/** A context of such a law: of each step the known token, or −1. The policy sees them all, those ahead too. */
export function givenContext(context: LawContext, tokens: readonly number[], K: number): LawContext {
  const { thought } = context.inputs;
  const [W, n] = [thought.length, tokens.length];
  const seen = new Float32Array(W + 2 * n);
  const given = new Float32Array(n * K);
  seen.set(thought);
  tokens.forEach((token, t) => {
    if (token < 0) return;
    given[t * K + token] = 1;
    seen[W + t] = (2 * token + 1) / K - 1;
    seen[W + n + t] = 1;
  });
  return { ...context, inputs: { ...context.inputs, thought: seen, given } };
}
