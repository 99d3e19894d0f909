// What a training run tells: types only, shared by everything that listens.

/** Distance of a distribution over terminal objects from the target. */
export interface Distance {
  /** ½ Σ |p − q| */
  readonly tv: number;
  /** KL(target ‖ p), in nats. */
  readonly kl: number;
}

export type TrainEvent =
  | {
      readonly kind: "start";
      readonly engine: string;
      /** The best that any policy reaches. */
      readonly limit: Distance;
      /** The uniform policy. */
      readonly uniform: Distance;
      /** log of the sum of all rewards. */
      readonly logZ: number;
    }
  | {
      readonly kind: "iteration";
      readonly iteration: number;
      readonly loss: number;
      readonly dynamicsLoss: number;
    }
  | {
      readonly kind: "evaluation";
      readonly iteration: number;
      /** Exact, with the true kernel. */
      readonly reached: Distance;
      readonly limit: Distance;
      readonly uniform: Distance;
      /** Learned log Z less the true one. */
      readonly logZError: number;
    };
