// Sampled trajectories, replayed step by step.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shortNumber } from "../../src/report/text-format.ts";
import type { TrajectoriesView } from "../../src/views/view-data.ts";
import { Choice } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import { SeedChoice } from "./seed-choice.tsx";
import { indexIn, type ViewProps } from "./view-props.ts";

/** Milliseconds per step of the player. */
const PACE = 900;
/** Actions whose bars are shown. */
const MOST_BARS = 24;

type Trajectory = TrajectoriesView["trajectories"][number];

export function Trajectories({ data, choice, choose, has }: ViewProps<TrajectoriesView>) {
  const { trajectories } = data;
  const isPlaying = useSignal(false);
  const index = indexIn(trajectories.length, choice.trajectory);
  const trajectory: Trajectory | undefined = trajectories[index];
  const count = trajectory?.steps.length ?? 0;
  const step = indexIn(count, choice.step);
  const isAtEnd = step >= count - 1;
  useEffect(() => {
    if (!isPlaying.value) return;
    if (isAtEnd) {
      isPlaying.value = false;
      return;
    }
    const timer = setTimeout(() => choose({ step: step + 1 }), PACE);
    return () => clearTimeout(timer);
  }, [isPlaying.value, step, isAtEnd, index]);
  if (trajectory === undefined) return <p class="faint">There are no trajectories.</p>;
  const show = (next: number) => {
    isPlaying.value = false;
    choose({ step: next });
  };
  return (
    <div class="stack" data-test="player">
      <div class="line controls">
        <Choice
          label="Trajectory"
          value={String(index)}
          options={trajectories.map(({ object, score }, i) => [
            String(i),
            `${i + 1}: ${object}${score === null ? "" : ` (score ${shortNumber(score)})`}`,
          ])}
          onChange={(value) => {
            isPlaying.value = false;
            choose({ trajectory: Number(value), step: 0 });
          }}
        />
        <button type="button" onClick={() => show(step - 1)} disabled={step === 0}>
          ‹ Back
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            if (!isPlaying.value && isAtEnd) choose({ step: 0 });
            isPlaying.value = !isPlaying.value;
          }}
        >
          {isPlaying.value ? "Pause" : "Play"}
        </button>
        <button type="button" onClick={() => show(step + 1)} disabled={isAtEnd}>
          Next ›
        </button>
        <SeedChoice {...{ choice, choose, has }} />
      </div>
      <ol class="steps" aria-label="Steps">
        {trajectory.steps.map(({ outcome, isNoise }, i) => (
          <li key={i}>
            <button
              type="button"
              class={isNoise ? "is-noise" : ""}
              aria-current={i === step ? "step" : undefined}
              aria-label={`step ${i + 1}: ${outcome}${isNoise ? ", noise" : ""}`}
              onClick={() => show(i)}
            >
              {outcome}
            </button>
          </li>
        ))}
      </ol>
      {count > 0 && <Step {...trajectory.steps[step]} number={step + 1} of={count} />}
      <p class="faint small">
        Object <span class="mono">{trajectory.object}</span>
        {trajectory.score !== null && `, score ${shortNumber(trajectory.score)}`}
        {trajectory.logProbability !== null && `, log P = ${shortNumber(trajectory.logProbability)}`}.
      </p>
      <StepTable trajectory={trajectory} />
    </div>
  );
}

function Step({
  number,
  of,
  state,
  action,
  outcome,
  isNoise,
  policy,
  outcomeProbability,
}: Trajectory["steps"][number] & { readonly number: number; readonly of: number }) {
  const bars = [...policy].sort((a, b) => b[1] - a[1]);
  return (
    <div class="stack" aria-live="polite">
      <dl class="facts">
        <dt>Step</dt>
        <dd>
          {number} of {of}
        </dd>
        <dt>State</dt>
        <dd class="mono">{state}</dd>
        <dt>Intended</dt>
        <dd class="mono">{action}</dd>
        <dt>Happened</dt>
        <dd>
          <span class="mono">{outcome}</span>{" "}
          {isNoise && <strong class="noise">noise replaced the action</strong>}
          {outcomeProbability !== null && (
            <span class="faint"> learned probability of this outcome {shortNumber(outcomeProbability)}</span>
          )}
        </dd>
      </dl>
      <div class="bars">
        {bars.slice(0, MOST_BARS).flatMap(([label, probability]) => [
          <span key={`${label} name`} class="mono">
            {label}
          </span>,
          <span key={`${label} bar`} class={`bar ${label === action ? "is-chosen" : ""}`} aria-hidden="true">
            <span style={{ width: `${(100 * probability).toFixed(1)}%` }} />
          </span>,
          <span key={`${label} value`} class="number">
            {(100 * probability).toFixed(1)} %
          </span>,
        ])}
      </div>
      {bars.length > MOST_BARS && (
        <p class="small faint">{bars.length - MOST_BARS} actions with smaller probabilities are not shown.</p>
      )}
    </div>
  );
}

/** All steps at once, for print and for those who read tables. */
function StepTable({ trajectory }: { readonly trajectory: Trajectory }) {
  return (
    <details class="prints">
      <summary>All steps as a table</summary>
      <ScrollArea label="Steps of the trajectory">
        <table>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">State</th>
              <th scope="col">Intended</th>
              <th scope="col">Happened</th>
              <th scope="col" class="number">
                π(intended)
              </th>
            </tr>
          </thead>
          <tbody>
            {trajectory.steps.map(({ state, action, outcome, isNoise, policy }, i) => (
              <tr key={i}>
                <th scope="row">{i + 1}</th>
                <td class="mono">{state}</td>
                <td class="mono">{action}</td>
                <td class="mono">
                  {outcome}
                  {isNoise ? " (noise)" : ""}
                </td>
                <td class="number">
                  {shortNumber(policy.find(([label]) => label === action)?.[1] ?? Number.NaN)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </details>
  );
}
