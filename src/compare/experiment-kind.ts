// Runs an experiment as a unit of work, in its own process.

import type { JsonObject } from "../executor/unit.ts";
import type { UnitContext, UnitKind, UnitOutput } from "../executor/unit-kind.ts";
import { experimentOptionsOf } from "./experiment-options.ts";
import { configOfUnit, type ExperimentSettings, experimentProblem } from "./experiment-unit.ts";
import { findMethod } from "./methods.ts";
import { runExperiment } from "./run-experiment.ts";

export const experimentKind: UnitKind = {
  problem: experimentProblem,
  engine(settings) {
    const { method, config } = settingsOf(settings);
    return findMethod(method).kind === "search" ? null : (config.engine as string);
  },
  run,
};

async function* run(settings: JsonObject, context: UnitContext): AsyncGenerator<UnitOutput, void> {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const { checkpoint, pause } = context;
  const { config, ...rest } = settingsOf(settings);
  const complete = configOfUnit(config, context.input);
  const options = await experimentOptionsOf({ ...rest, config: complete });
  if (pause.aborted) {
    // Compiling could take longer than there is time, and nothing has happened since the last checkpoint.
    if (checkpoint) yield { kind: "checkpoint", bytes: checkpoint };
    yield { kind: "paused" };
    return;
  }
  for await (const event of runExperiment({ ...options, elapsed, checkpoint, pause })) {
    yield event.kind === "record" ? { ...event, record: { ...event.record } } : event;
  }
}

function settingsOf(settings: JsonObject): ExperimentSettings {
  return settings as unknown as ExperimentSettings;
}
