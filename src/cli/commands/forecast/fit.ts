// `gflownet forecast fit`: learns from a file, and makes a folder of the model.

import { resolve } from "node:path";
import { filledPanel } from "../../../forecast/filled.ts";
import { type ForecastModel, type TrainingEvent, trainLikelihood } from "../../../forecast/model/index.ts";
import type { Panel } from "../../../forecast/types.ts";
import { count, countOf, duration, figure } from "../../../report/text-table.ts";
import { nextRunFolder } from "../../../run/folder.ts";
import { printJson } from "../../output.ts";
import { inShell, shortPath } from "../../words.ts";
import { forecastSettings } from "./contestants.ts";
import { type ModelSettings, modelSettingsOf } from "./model-flags.ts";
import { MODEL_FILES, writeModelFolder } from "./model-folder.ts";
import { Progress } from "./progress.ts";
import { checkHorizon, DEMO, dataText, horizonText, sourceForFolder } from "./source.ts";
import { type Printing, remark, say, working } from "./working.ts";

export interface FitCommand extends Printing {
  readonly demo?: boolean;
  readonly horizon?: number;
  readonly out?: string;
}

export async function fit(file: string | undefined, command: FitCommand): Promise<void> {
  await working(async (signal) => {
    const { flags, source, panel, notes } = await sourceForFolder(file, command, "model");
    const horizon = checkHorizon(command.horizon ?? (command.demo ? DEMO.horizon : undefined), panel);
    remark(command, notes);
    say(command, `${dataText(source)}; ${horizonText(horizon, panel)} ahead.`);
    const { model, events } = await learn(filledPanel(panel, flags.fill ?? "none"), {
      ...{ horizon, settings: modelSettingsOf({ ...command }), signal },
      ...{ progress: new Progress(command.json || command.quiet ? undefined : process.stdout) },
      onEvent: (event) => command.json && printJson({ kind: "training", ...event }),
    });
    const folder = command.out ?? (await nextRunFolder("models", source.name));
    const data = command.demo ? null : resolve(source.path);
    await writeModelFolder(folder, { name: source.name, data, flags }, model, events);
    const { iterations, best, validation, windows } = model.trained;
    if (command.json) printJson({ kind: "end", model: resolve(folder), ...model.trained });
    say(
      command,
      `Learned from ${countOf(windows, "window")} in ${countOf(iterations, "iteration")} and ${duration(events.at(-1)?.seconds ?? 0)}; ` +
        `kept iteration ${count(best)}${validation === null ? "" : ` (validation ${figure(validation)} nats per step)`}.`,
    );
    say(
      command,
      `The model is in ${shortPath(folder)}, also as ${MODEL_FILES.encoder} and ${MODEL_FILES.paths}.`,
    );
    say(command, `Forecast with: gflownet forecast predict ${inShell(folder)} --out forecast.csv`);
  });
}

/** Trains to the end, and keeps what happened. */
async function learn(
  panel: Panel,
  options: {
    readonly horizon: number;
    readonly settings: ModelSettings;
    readonly signal: AbortSignal;
    readonly progress: Progress;
    readonly onEvent: (event: TrainingEvent) => void;
  },
): Promise<{ readonly model: ForecastModel; readonly events: readonly TrainingEvent[] }> {
  const { horizon, settings, signal, progress, onEvent } = options;
  const training = trainLikelihood(panel, forecastSettings(horizon, settings), { signal });
  const events: TrainingEvent[] = [];
  try {
    for (;;) {
      const { done, value } = await training.next();
      if (done) return { model: value, events };
      events.push(value);
      progress.training("GFlowNet", value);
      onEvent(value);
    }
  } finally {
    progress.clear();
  }
}
