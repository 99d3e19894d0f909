// Paths of one context as an array function: each row is drawn from the law, from the steered policy, or from a plan that
// noise spoils; with how likely its path is in each of them.

import { numpy as np } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../../engine/index.ts";
import { logSoftmax } from "../../nn/index.ts";
import type { FlowModel } from "../flow/model.ts";
import type { Arrays } from "../flow/problem.ts";
import { drawn } from "../model/draw.ts";
import { intentions, outcome } from "./noise.ts";
import { logAfter, logMet, POWER, type Target } from "./steered.ts";

/** What a row is drawn from. */
export const [LAW, POLICY, PLAN] = [0, 1, 2];

/** Of R rows a call. Without noise there are no plans, and nothing is said of them. */
export function drawProgram(model: FlowModel, target: Target, noise: number, R: number) {
  const { law, steps: n, beta } = target;
  const { tokens: K } = law;
  const specs = Object.entries(model.problem.inputs).filter(([name]) => name !== POWER);

  const run: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    const { from, uniforms } = inputs; // [R], [n, R]
    const arrays: Arrays = Object.fromEntries(
      specs.map(([name, { shape }]) => [
        name,
        np.broadcastTo(inputs[`input.${name}`].reshape([1, ...shape]), [R, ...shape]),
      ]),
    ); // [R, …]
    const context = model.read(params, arrays);
    const steered = np.less(LAW, from).reshape([R, 1]); // [R, 1]
    const planned = np.less(POLICY, from).reshape([R, 1]); // [R, 1]
    const path: np.Array[] = [];
    const intended: np.Array[] = [];
    const logs = { logLaw: [], logBase: [], logPolicy: [], logPlan: [] } as Record<string, np.Array[]>;
    let flow = np.zeros([1]); // [1]
    for (let t = 0; t < n; t++) {
      const logLaw = np.multiply(law.at(arrays, t, path), beta); // [R, K]
      const said = model.at(params, t, context, path, R);
      if (t === 0) flow = said.flow.slice([0, 1]).reshape([1]); // [1]
      const logBase = logSoftmax(logLaw); // [R, K]
      const logPolicy = logSoftmax(said.policy); // [R, K]
      const uniform = uniforms.slice(t).reshape([R, 1]); // [R, 1]
      let token = drawn(np.exp(np.where(steered, logPolicy, logBase)), uniform); // [R, K]
      const all: Record<string, np.Array> = { logLaw, logBase, logPolicy };
      if (noise > 0) {
        const plan = intentions(np.exp(logPolicy), noise); // [R, K]
        const intention = drawn(plan, uniform); // [R, K]
        const chance = inputs.chances.slice(t).reshape([R, 1]); // [R, 1]
        token = np.where(planned, drawn(outcome(intention, noise), chance), token); // [R, K]
        all.logPlan = np.log(outcome(plan, noise)); // [R, K]
        intended.push(intention);
      }
      for (const [name, log] of Object.entries(all)) logs[name].push(np.sum(np.multiply(log, token), 1)); // [R]
      path.push(token);
    }
    const whole = np.stack(path, 1); // [R, n, K]
    const total = (list: readonly np.Array[]) => list.reduce((sum, step) => np.add(sum, step)); // [R]
    const slots = () => np.arange(K).astype(np.float32); // [K]
    return {
      tokens: np.matmul(whole, slots()).astype(np.int32), // [R, n]
      logLaw: total(logs.logLaw), // [R]
      logAfter: logAfter(target, whole, arrays), // [R]
      logMet: logMet(target, whole, arrays), // [R]
      logBase: total(logs.logBase), // [R]
      logPolicy: total(logs.logPolicy), // [R]
      flow,
      ...(noise > 0 && {
        logPlan: total(logs.logPlan), // [R]
        intended: np.matmul(np.stack(intended, 1), slots()).astype(np.int32), // [R, n]
      }),
    };
  };

  const example: Record<string, ArraySpec> = {
    params: spec([model.layout.size]),
    from: spec([R]),
    uniforms: spec([n, R]),
    ...(noise > 0 && { chances: spec([n, R]) }),
    ...Object.fromEntries(specs.map(([name, one]) => [`input.${name}`, one])),
  };
  return { run, example, names: specs.map(([name]) => name) };
}
