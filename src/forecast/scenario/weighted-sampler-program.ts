// The array function that samples paths of one context. Each row is sampled from the base distribution, from the proposal,
// or from a plan that noise changes, and comes with the log-probability of its path under each of them.

import { numpy as np } from "@jax-js/jax";
import { type ArrayFunction, type ArraySpec, spec } from "../../engine/index.ts";
import { logSoftmax, markedEntries, oneHotIndices, sampleByInversion } from "../../nn/index.ts";
import { contextArrays, contextSpecs, repeatContexts } from "../flow/context-arrays.ts";
import type { FlowModel } from "../flow/flow-model.ts";
import { nearestActions, outcomeProbabilities } from "./noise.ts";
import { logConstraint, logLikelihoodAfter, type PathTarget, TEMPERING } from "./proposal.ts";

/** Sources of a row: the base distribution p^β (normalised per step), the proposal, or a plan. */
export const [BASE, PROPOSAL, PLAN] = [0, 1, 2];

/** A call returns R paths. Without noise the outputs of plans (`logPlan`, `actions`) are absent. */
export function weightedSamplerProgram(model: FlowModel, target: PathTarget, noise: number, R: number) {
  const { distribution, steps: n, beta } = target;
  const { [TEMPERING]: _, ...specs } = model.problem.inputs;
  const names = Object.keys(specs);

  const run: ArrayFunction = (inputs) => {
    const params = model.params(inputs.params);
    const { source, uniforms } = inputs; // [R], [n, R]
    const arrays = repeatContexts(contextArrays(names, inputs), R); // [R, …]
    const context = model.encode(params, arrays);
    const fromProposal = np.less(BASE, source).reshape([R, 1]); // [R, 1]
    const fromPlan = np.less(PROPOSAL, source).reshape([R, 1]); // [R, 1]
    const path: np.Array[] = [];
    const actions: np.Array[] = [];
    const logs: Record<string, np.Array[]> = { logLikelihood: [], logBase: [], logProposal: [], logPlan: [] };
    let logFlow = np.zeros([1]); // [1]
    for (let t = 0; t < n; t++) {
      const logLikelihood = np.multiply(distribution.atStep(arrays, t, path), beta); // [R, K]
      const { policy, flow } = model.atStep(params, t, context, path, R); // [R, K], [R, 1]
      if (t === 0) logFlow = flow.slice([0, 1]).reshape([1]); // [1]
      const logBase = logSoftmax(logLikelihood); // [R, K]
      const logProposal = logSoftmax(policy); // [R, K]
      const uniform = uniforms.slice(t).reshape([R, 1]); // [R, 1]
      let token = sampleByInversion(np.exp(np.where(fromProposal, logProposal, logBase)), uniform); // [R, K]
      const step: Record<string, np.Array> = { logLikelihood, logBase, logProposal };
      if (noise > 0) {
        const plan = nearestActions(np.exp(logProposal), noise); // [R, K]
        const action = sampleByInversion(plan, uniform); // [R, K]
        const forNoise = inputs.noiseUniforms.slice(t).reshape([R, 1]); // [R, 1]
        token = np.where(fromPlan, sampleByInversion(outcomeProbabilities(action, noise), forNoise), token); // [R, K]
        step.logPlan = np.log(outcomeProbabilities(plan, noise)); // [R, K]
        actions.push(action);
      }
      for (const [name, log] of Object.entries(step)) logs[name].push(markedEntries(log, token)); // [R]
      path.push(token);
    }
    const paths = np.stack(path, 1); // [R, n, K]
    const sum = (steps: readonly np.Array[]) => steps.reduce((total, step) => np.add(total, step)); // [R]
    return {
      tokens: oneHotIndices(paths).astype(np.int32), // [R, n]
      logLikelihood: sum(logs.logLikelihood), // [R]
      logLikelihoodAfter: logLikelihoodAfter(target, paths, arrays), // [R]
      logConstraint: logConstraint(target, paths, arrays), // [R]
      logBase: sum(logs.logBase), // [R]
      logProposal: sum(logs.logProposal), // [R]
      logFlow,
      ...(noise > 0 && {
        logPlan: sum(logs.logPlan), // [R]
        actions: oneHotIndices(np.stack(actions, 1)).astype(np.int32), // [R, n]
      }),
    };
  };

  const example: Record<string, ArraySpec> = {
    params: spec([model.layout.size]),
    source: spec([R]),
    uniforms: spec([n, R]),
    ...(noise > 0 && { noiseUniforms: spec([n, R]) }),
    ...contextSpecs(specs, 1),
  };
  return { run, example, names };
}
