// The view `attention`: what the history encoder attends to along one sampled trajectory.

import { attentionWeights } from "../gfn/policy/attention-weights.ts";
import type { HistoryInput } from "../gfn/policy/input-names.ts";
import { UserError } from "../issues.ts";
import type { OpenedRun } from "./opened-run.ts";
import type { AttentionView, ViewOptions } from "./view-data.ts";

/** Weights of an answer, and positions whose weights are computed. */
const [MOST_WEIGHTS, MOST_POSITIONS] = [50_000, 128];

export async function attentionView(
  run: OpenedRun,
  { seed = 0 }: Pick<ViewOptions, "seed">,
): Promise<AttentionView> {
  const { model, options, labels, parameters } = run;
  const { environment, historyInputs } = model;
  const net = watchedNetwork(run);
  if (!net) throw withoutAttention();
  const [{ thought, outcomes, object }] = await run.samples(1, seed);
  const context = environment.context?.tokens ?? [];
  // The state after the last step needs no embedding, so the encoder does not read that step.
  const layersAndHeads = options.encoderLayers * options.encoderHeads;
  const affordable = Math.min(MOST_POSITIONS, Math.floor(Math.sqrt(MOST_WEIGHTS / layersAndHeads)));
  const read = Math.max(
    0,
    Math.min(thought.length, environment.maxSteps - 1, affordable - 1 - context.length),
  );
  const found = await attentionWeights(
    {
      ...{ model, net, engine: options.engine, threads: options.threads },
      actions: thought.slice(0, read),
      outcomes: Array.from({ length: read }, (_, step) => outcomes[step] ?? -1),
    },
    parameters[net],
  );
  if (!found) throw withoutAttention();
  const { layers, heads, positions, weights } = found;
  const each = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  return {
    view: "attention",
    exact: true,
    notes: [
      `The encoder of the ${net === "policy" ? "policy" : "dynamics model"} reads ${READS[historyInputs[net] as HistoryInput]} of the steps towards ${object}.`,
      ...(read < Math.min(thought.length, environment.maxSteps - 1)
        ? [`Its first ${read} steps are shown.`]
        : []),
    ],
    tokens: [...context.map((token) => `context ${token}`), "start", ...each(read, (step) => tokenAt(step))],
    weights: each(layers, (layer) =>
      each(heads, (head) =>
        each(positions, (query) =>
          each(positions, (key) => {
            const weight = weights[((layer * heads + head) * positions + query) * positions + key];
            return Math.round(1e5 * weight) / 1e5;
          }),
        ),
      ),
    ),
  };

  function tokenAt(step: number): string {
    const action = labels.actions[thought[step]];
    const outcome =
      step < outcomes.length ? labels.outcomeAfter(outcomes.slice(0, step), outcomes[step]) : "stop";
    const inputs = historyInputs[net as "policy" | "dynamics"];
    if (inputs === "both") return action === outcome ? action : `${action} → ${outcome}`;
    return inputs === "thought" ? action : outcome;
  }
}

const READS: Readonly<Record<HistoryInput, string>> = {
  thought: "the actions",
  outcomes: "the outcomes",
  both: "the actions and outcomes",
};

/** The network with a transformer: the policy if it has one, else the dynamics model. */
function watchedNetwork({ model, options, learnsDynamics }: OpenedRun): "policy" | "dynamics" | null {
  if (model.historyInputs.policy && options.network !== "recurrent") return "policy";
  return learnsDynamics && model.historyInputs.dynamics ? "dynamics" : null;
}

function withoutAttention(): UserError {
  return new UserError(
    "there is no attention, because no network of this run has a transformer; train one with `encoder` or with `network` transformer",
  );
}
