// A run in two sentences: task, objective, number of iterations and duration.
//
// Config and events may come from another version or an untrusted source: what is missing or not a number is shown as such.

import type { TrainEvent } from "../gfn/training/events.ts";
import { extent } from "./axis.ts";
import { field } from "./event-fields.ts";
import { settingText } from "./tables.ts";
import { formatCount, formatDuration } from "./text-format.ts";

/** What the sentences are made of. */
export interface RunContents {
  readonly config: Readonly<Record<string, unknown>>;
  readonly events: readonly TrainEvent[];
}

/** Two sentences, as paragraphs. */
export function runIntro({ config, events }: RunContents): [task: string, training: string] {
  const { task, stick, rewardExponent, balance, dynamics, loss, batch, seed, engine } = config;
  const completed = largest(events, "iteration");
  const planned = field(config, "iterations");
  const iterations =
    completed >= planned ? formatCount(completed) : `${formatCount(completed)} of ${settingText(planned)}`;
  const state = events.at(-1)?.kind === "end" ? "" : " The run is not complete.";
  const noise = stick === undefined ? "" : `stick ${settingText(stick)} and `;
  const objective = [balance, dynamics, loss].map(settingText).join(" + ");
  return [
    `${settingText(task)} with ${noise}reward exponent ${settingText(rewardExponent)}.`,
    `${objective}, ${iterations} iterations of ${settingText(batch)} trajectories in ${formatDuration(largest(events, "seconds"))}, seed ${settingText(seed)}, ${settingText(engine)} engine.${state}`,
  ];
}

/** The largest value of a number that events have; 0 if none has it. */
function largest(events: readonly TrainEvent[], name: string): number {
  return extent([0, ...events.map((event) => field(event, name)).filter(Number.isFinite)])[1];
}
