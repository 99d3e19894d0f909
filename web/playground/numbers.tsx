// The distances from the target: of the policy, of the best reachable policy, and of the uniform one.

import type { EvaluationPoint } from "../../src/playground/messages.ts";
import { shortNumber } from "../../src/report/text-format.ts";
import { Badge } from "../components/parts.tsx";
import { usePlayground } from "./store.ts";

export function Numbers() {
  const { problem, curves } = usePlayground();
  const shown = problem.value;
  const last = curves.value?.evaluations.at(-1);
  return (
    <div class="numbers" data-test="numbers">
      <Distance
        name="Total variation"
        help="Half of the absolute differences between the probabilities of all objects and the target: 0 if they are equal, at most 1."
        metric="tv"
        last={last}
        limit={shown?.limit.tv}
        uniform={shown?.uniform.tv}
      />
      <Distance
        name="KL divergence"
        help="KL(target ‖ policy) in nats: 0 if they are equal."
        metric="kl"
        last={last}
        limit={shown?.limit.kl}
        uniform={shown?.uniform.kl}
      />
      <div class="card">
        <h3>Noise, as learned</h3>
        <p class="big number">{typeof last?.dynamicsKl === "number" ? shortNumber(last.dynamicsKl) : "–"}</p>
        <p class="small faint">
          {shown?.learnsDynamics === false
            ? "This objective learns no model of the noise."
            : "KL of the true kernel from the learned one, nats per step"}
        </p>
      </div>
    </div>
  );
}

function Distance({
  name,
  help,
  metric,
  last,
  limit,
  uniform,
}: {
  readonly name: string;
  readonly help: string;
  readonly metric: "tv" | "kl";
  readonly last: EvaluationPoint | undefined;
  readonly limit: number | undefined;
  readonly uniform: number | undefined;
}) {
  const text = (value: number | undefined) =>
    value === undefined ? "–" : shortNumber(value < 1e-6 ? 0 : value);
  return (
    <div class="card" title={help}>
      <h3>
        {name} <Badge source="exact" />
      </h3>
      <p class="big number" data-test={metric} data-value={last?.[metric]}>
        {text(last?.[metric])}
      </p>
      <p class="small faint">
        limit <strong data-test={`${metric}-limit`}>{text(limit)}</strong> · uniform policy {text(uniform)}
      </p>
    </div>
  );
}
