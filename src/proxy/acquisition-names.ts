// Names of the acquisition functions. The module imports nothing, because `--help` loads it.

/** Thompson sampling believes one member of the proxy at a time; `ucb` is the upper confidence bound, `ei` the expected
 * improvement over the best score. */
export const ACQUISITIONS = ["thompson", "ucb", "ei"] as const;
export type AcquisitionName = (typeof ACQUISITIONS)[number];
