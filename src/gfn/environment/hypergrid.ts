// The hypergrid environment: every action adds 1 to a coordinate, or stops. Stick noise replaces a move by a uniformly
// drawn legal move.
//
// The features are one-hot coordinates. A cell has several parents, so the backward actions are pairs (axis that moved,
// axis of the action), with the index moved · d + action.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "../../nn/checks.ts";
import { oneHot } from "../../nn/one-hot.ts";
import type { EnumerableEnvironment, State } from "./environment.ts";
import { gridArrays } from "./hypergrid-arrays.ts";
import { cellAfter, formatCell, parseCell, sampleMoves } from "./hypergrid-codec.ts";
import { coordinate, coordinatesOf, enumerateGrid, type GridSpace } from "./hypergrid-states.ts";
import { withRecipe } from "./recipe.ts";
import { checkStick, stickNoise } from "./stick-noise.ts";

/** Options of `hypergridEnvironment`. */
export interface HypergridOptions extends GridSpace {
  /** Probability that a move is replaced by a uniformly drawn legal move, in [0, 1). */
  readonly stick: number;
}

/** An enumerable grid. Outcome i adds 1 to coordinate i, the last action stops, and a cell has the index Σ xᵢ sideⁱ. */
export interface HypergridEnvironment extends EnumerableEnvironment, GridSpace {
  readonly kind: "grid";
}

/**
 * A grid whose trajectories start at the origin. Every action adds 1 to one coordinate, or stops at the current cell,
 * which is then the object.
 *
 * @example
 * ```ts
 * import { hypergridEnvironment } from "gflownet";
 *
 * const environment = hypergridEnvironment({ dimensions: 2, side: 8, stick: 0.1 });
 * console.log(environment.states, environment.actions); // 64 3
 * console.log(environment.describe([0, 0, 1])); // 2,1
 * ```
 */
export function hypergridEnvironment({
  dimensions: d,
  side: H,
  stick,
}: HypergridOptions): HypergridEnvironment {
  checkSizes("hypergridEnvironment", { dimensions: d });
  if (!Number.isInteger(H) || H < 2)
    throw new RangeError(`hypergridEnvironment: side must be at least 2, got ${H}`);
  checkStick("hypergridEnvironment", stick);
  if (H ** d > 2 ** 31 - 1)
    throw new RangeError(
      `hypergridEnvironment: ${H}^${d} cells are more than 2^31; lower dimensions or side`,
    );
  const space: GridSpace = { dimensions: d, side: H };
  const movesOf = (action: np.Array) => np.split(action, [d], 1)[0]; // [B, d]
  const stopOf = (action: np.Array) => np.split(action, [d], 1)[1]; // [B, 1]
  const { coordinates, canMove, indexSteps, backwardAllowed } = gridArrays(space, stick);
  const featuresOf = (x: np.Array) => oneHot(x, H).reshape([x.shape[0], d * H]); // [B, d·H]

  const environment: HypergridEnvironment = {
    kind: "grid",
    name: `a grid of ${Array.from({ length: d }, () => H).join(" × ")}`,
    dimensions: d,
    side: H,
    actions: d + 1,
    hasStop: true,
    outcomes: d,
    maxSteps: d * (H - 1) + 1,
    states: H ** d,
    features: d * H,
    featureBlock: H,
    stick,
    backwardActions: d * d,

    start(batch): State {
      return {
        index: np.zeros([batch], { dtype: np.int32 }), // [B]
        features: featuresOf(np.zeros([batch, d])), // [B, d·H]
        running: np.ones([batch]), // [B]
      };
    },
    allowed(state) {
      const [batch] = state.index.shape;
      return np.concatenate([canMove(state), np.ones([batch, 1], { dtype: np.bool })], 1); // [B, d + 1]
    },
    sampleOutcome(state, _, action, uniform) {
      if (stick === 0) return movesOf(action); // [B, d]
      const outcome = stickNoise(movesOf(action), canMove(state).astype(np.float32), uniform, stick); // [B, d]
      return np.multiply(outcome, np.subtract(1, stopOf(action))); // [B, d]
    },
    advance(state, _, action, outcome) {
      const [batch] = outcome.shape;
      const running = np.multiply(state.running, np.subtract(1, stopOf(action).reshape([batch]))); // [B]
      const moved = np.multiply(outcome, running.reshape([batch, 1])); // [B, d]
      const index = np.add(state.index, indexSteps(moved)); // [B]
      return { index, features: featuresOf(np.add(coordinates(state), moved)), running };
    },
    terminalIndex: (state) => state.index,
    backwardAllowed,
    backwardAction(_, action, outcome) {
      const [batch] = outcome.shape;
      const pairs = np.multiply(outcome.reshape([batch, d, 1]), movesOf(action).reshape([batch, 1, d])); // [B, d, d]
      return pairs.reshape([batch, d * d]); // [B, d·d]
    },
    sameParent(_, outcome) {
      const [batch] = outcome.shape;
      return np.broadcastTo(outcome.reshape([batch, d, 1]), [batch, d, d]).reshape([batch, d * d]); // [B, d·d]
    },

    describe: (outcomes) => formatCell(cellAfter("hypergridEnvironment", outcomes, space)),
    trajectoryOf: (text, stream) => sampleMoves(parseCell("hypergridEnvironment", text, space), stream),

    tree: false,
    enumerate: () => enumerateGrid(space, stick),
    sampleTrajectoryTo: (terminal, stream) => sampleMoves(coordinatesOf(terminal, space), stream),
    featuresOf(indices) {
      const features = new Float32Array(indices.length * d * H);
      for (let row = 0; row < indices.length; row++) {
        for (let axis = 0; axis < d; axis++) {
          features[(row * d + axis) * H + coordinate(indices[row], axis, H)] = 1;
        }
      }
      return features;
    },
  };
  return withRecipe(environment, {
    factory: "hypergridEnvironment",
    options: { dimensions: d, side: H, stick },
  });
}
