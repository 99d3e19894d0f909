// Paths drawn from a steered policy, with what they weigh: importance weights make up for all that tuning has missed.
//
// A share of the paths is drawn from the law itself. So a weight is never above 1 / share times that of plain drawing,
// and no part of the target is forgotten, however the tuning went.

import { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, type RandomStream, spec, type TypedArray } from "../../engine/index.ts";
import { logSoftmax } from "../../nn/index.ts";
import type { FlowModel } from "../flow/model.ts";
import type { Arrays } from "../flow/problem.ts";
import { drawn } from "../model/draw.ts";
import { logAfter, logMet, POWER, type Target } from "./steered.ts";

/** Paths of one context. */
export interface DrawnPaths {
  /** n tokens each. */
  readonly tokens: readonly Int32Array[];
  /** β log likelihood less log of the mixture that the path was drawn from. */
  readonly logWeights: Float64Array;
  /** β log likelihood of what follows; 0 where nothing does. */
  readonly logAfter: Float64Array;
  /** log of the probability that the tokens meet the condition, softened; 0 where there is none. */
  readonly logMet: Float64Array;
  /** log F of the start, as it was learned. */
  readonly logFlow: number;
}

export interface PathDrawer {
  /** `share` of the paths come from the law, the others from the policy. */
  draw(
    params: Float32Array,
    context: Readonly<Record<string, TypedArray>>,
    count: number,
    share: number,
    stream: RandomStream,
  ): Promise<DrawnPaths>;
  dispose(): Promise<void>;
}

/** Rows of one call at most. */
const ROWS = 512;

export async function pathDrawer(
  model: FlowModel,
  target: Target,
  { engine, threads }: { readonly engine?: EngineName; readonly threads?: number } = {},
): Promise<PathDrawer> {
  const { law, steps: n, beta } = target;
  const { tokens: K } = law;
  const specs = Object.entries(model.problem.inputs).filter(([name]) => name !== POWER);

  function draw(inputs: Readonly<Record<string, np.Array>>) {
    const params = model.params(inputs.params);
    const { own, uniforms } = inputs; // [R], [n, R]
    const R = ROWS;
    const arrays: Arrays = Object.fromEntries(
      specs.map(([name, { shape }]) => [
        name,
        np.broadcastTo(inputs[`input.${name}`].reshape([1, ...shape]), [R, ...shape]),
      ]),
    ); // [R, …]
    const context = model.read(params, arrays);
    const steered = np.less(0.5, own).reshape([R, 1]); // [R, 1]
    const path: np.Array[] = [];
    const logs: Record<"law" | "base" | "policy", np.Array[]> = { law: [], base: [], policy: [] };
    let flow = np.zeros([1]); // [1]
    for (let t = 0; t < n; t++) {
      const logLaw = np.multiply(law.at(arrays, t, path), beta); // [R, K]
      const said = model.at(params, t, context, path, R);
      if (t === 0) flow = said.flow.slice([0, 1]).reshape([1]); // [1]
      const logBase = logSoftmax(logLaw); // [R, K]
      const logPolicy = logSoftmax(said.policy); // [R, K]
      const uniform = uniforms.slice(t).reshape([R, 1]); // [R, 1]
      const token = drawn(np.exp(np.where(steered, logPolicy, logBase)), uniform); // [R, K]
      for (const [list, all] of [
        [logs.law, logLaw],
        [logs.base, logBase],
        [logs.policy, logPolicy],
      ] as const) {
        list.push(np.sum(np.multiply(all, token), 1)); // [R]
      }
      path.push(token);
    }
    const whole = np.stack(path, 1); // [R, n, K]
    const total = (list: readonly np.Array[]) => list.reduce((sum, step) => np.add(sum, step)); // [R]
    const slots = np.arange(K).astype(np.float32); // [K]
    return {
      tokens: np.matmul(whole, slots).astype(np.int32), // [R, n]
      logLaw: total(logs.law), // [R]
      logAfter: logAfter(target, whole, arrays), // [R]
      logMet: logMet(target, whole, arrays), // [R]
      logBase: total(logs.base), // [R]
      logPolicy: total(logs.policy), // [R]
      flow,
    };
  }

  const program = await compile(
    draw,
    {
      params: spec([model.layout.size]),
      own: spec([ROWS]),
      uniforms: spec([n, ROWS]),
      ...Object.fromEntries(specs.map(([name, one]) => [`input.${name}`, one])),
    } as Record<string, ReturnType<typeof spec>>,
    { name: "scenarios", engine, threads },
  );
  const uniforms = new Float32Array(n * ROWS);

  return {
    async draw(params, context, count, share, stream) {
      const tokens: Int32Array[] = [];
      const [logWeights, logAfter, logMet] = [0, 0, 0].map(() => new Float64Array(count));
      let logFlow = 0;
      const plain = Math.round(share * count);
      // With one kind of paths only, the other is not part of the mixture.
      const [logPlain, logOwn] = [Math.log(plain / count), Math.log(1 - plain / count)];
      for (let start = 0; start < count; start += ROWS) {
        const said = await program.run({
          params,
          own: Float32Array.from({ length: ROWS }, (_, row) => +(start + row >= plain)),
          uniforms: stream.fillUniform(uniforms),
          ...Object.fromEntries(specs.map(([name]) => [`input.${name}`, context[name]])),
        } as Record<string, TypedArray>);
        logFlow = said.flow[0];
        for (let row = 0; row < Math.min(ROWS, count - start); row++) {
          tokens.push((said.tokens as Int32Array).slice(row * n, (row + 1) * n));
          const mixture = logSum(logPlain + said.logBase[row], logOwn + said.logPolicy[row]);
          logWeights[start + row] = said.logLaw[row] - mixture;
          logAfter[start + row] = said.logAfter[row];
          logMet[start + row] = said.logMet[row];
        }
      }
      return { tokens, logWeights, logAfter, logMet, logFlow };
    },
    dispose: () => program.dispose(),
  };
}

/** log(eᵃ + eᵇ), where one may be −∞. */
function logSum(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log(Math.exp(a - most) + Math.exp(b - most));
}
