// The noise option that most tasks share.

import { is, key } from "../settings/keys.ts";
import { number } from "../settings/kinds.ts";

/** A probability below 1. */
export const probability = number({ from: 0, below: 1 });

export const stickKey = key(
  probability,
  "task",
  "probability that the environment replaces an action by a uniform draw among the legal ones",
  is(0.25),
);
