// `gflownet evaluate`: the metrics of a run, exact if possible, beside the limit.

import { readNamedFile } from "../../config/named-file.ts";
import { evaluateDesign, isPartlyScoredDesign } from "../../design/evaluate-design.ts";
import type { HeldOutMetrics } from "../../gfn/evaluate/held-out.ts";
import { UserError } from "../../issues.ts";
import { formatCountOf, formatNumber } from "../../report/text-format.ts";
import { assess, describeHeldOut, describeMetrics } from "../../run/assessment.ts";
import { describeRun } from "../../run/describe-run.ts";
import { openTrainedRun, runWithPreference, type TrainedRun } from "../../run/trained-run.ts";
import { loadUserModule } from "../../run/user-module.ts";
import { NO_STORAGE, trainedModel } from "../../trained/trained.ts";
import { printJson } from "../output.ts";

/** The option with the held-out objects. */
const KEY = "heldOut";

export interface EvaluateCommand {
  readonly json?: boolean;
  /** Module with the score function of a run that was trained from TypeScript. */
  readonly module?: string;
  /** File of held-out objects, one per line; for a design a table with their scores. */
  readonly heldOut?: string;
  /** Weights of the objectives, for a run that was trained with preferences. */
  readonly preference?: readonly number[];
}

export async function evaluate(folder: string, options: EvaluateCommand): Promise<void> {
  const { json, module, preference } = options;
  const opened = await openTrainedRun(folder, module === undefined ? {} : await loadUserModule(module));
  const trained = preference ? runWithPreference(opened, preference) : opened;
  if (module === undefined && (await isPartlyScoredDesign(folder, trained))) {
    return evaluatePartlyScored(folder, trained, options);
  }
  const heldOutObjects = options.heldOut === undefined ? undefined : await readObjects(options.heldOut);
  const heldOut = heldOutObjects && (await evaluateHeldOut(trained, heldOutObjects));
  const metrics = { ...(await assess(trained)).metrics, ...(heldOut && { heldOut }) };
  if (json) {
    printJson(metrics);
    return;
  }
  process.stdout.write(`${describeRun(trained)}\n\n${describeMetrics(metrics)}\n`);
}

/** A design that learned from some of the legal strings has a target that nobody knows, so it is evaluated by others. */
async function evaluatePartlyScored(
  folder: string,
  trained: TrainedRun,
  { json, heldOut: table }: EvaluateCommand,
): Promise<void> {
  if (table === undefined) {
    throw new UserError(
      "not every legal string of this design has a score, so its policy cannot be compared with the target; give scores of strings that it was not trained on with --held-out FILE, a table with the columns string and score",
    );
  }
  const { heldOut, trainedOn, reward } = await evaluateDesign(folder, trained, table);
  const { iteration: iterations, seconds } = trained.snapshot;
  if (json) {
    printJson({ exact: false, heldOut, trainedOn, reward, iterations, seconds });
    return;
  }
  const left = trainedOn > 0 ? `${formatCountOf(trainedOn, "string")} of training left out\n` : "";
  const { exponent, scale } = reward;
  const what = `${trained.task.environment.name}; reward score^${formatNumber(exponent)}, scale ${scale}`;
  process.stdout.write(`${what}\n\n${describeHeldOut(heldOut)}\n${left}`);
}

async function evaluateHeldOut(
  { options, snapshot }: TrainedRun,
  objects: readonly string[],
): Promise<HeldOutMetrics> {
  const trained = trainedModel({ options, snapshot, events: [] }, NO_STORAGE);
  try {
    return await trained.evaluateHeldOut(objects);
  } finally {
    await trained.dispose();
  }
}

/** The objects of a file, one per line. */
async function readObjects(file: string): Promise<string[]> {
  const { text, path } = await readNamedFile(KEY, file);
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const objects = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (objects.length > 0) return objects;
  throw new UserError([{ path: KEY, code: "file", message: `${path} has no objects; write one per line` }]);
}
