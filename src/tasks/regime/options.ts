// Options of the task `regime`: their defaults, help and rules.

import { is, type Keys, key } from "../../settings/keys.ts";
import { number } from "../../settings/kinds.ts";
import { probability } from "../stick-key.ts";

/** Options of `regimeTask`. */
export interface RegimeTaskOptions {
  /** Noise level (stick) of quiet trajectories. */
  readonly quietStick?: number;
  /** Noise level (stick) of the other trajectories. */
  readonly noisyStick?: number;
  /** Probability that a trajectory is quiet. */
  readonly quietShare?: number;
}

export const REGIME_DEFAULTS = { quietStick: 0, noisyStick: 0.7, quietShare: 0.4 } as const;

export const REGIME_KEYS: Keys<Required<RegimeTaskOptions>> = {
  quietStick: key(probability, "task", "noise level of quiet trajectories", is(REGIME_DEFAULTS.quietStick)),
  noisyStick: key(
    probability,
    "task",
    "noise level of the other trajectories",
    is(REGIME_DEFAULTS.noisyStick),
  ),
  quietShare: key(
    number({ above: 0, below: 1 }),
    "task",
    "probability that a trajectory is quiet",
    is(REGIME_DEFAULTS.quietShare),
  ),
};
