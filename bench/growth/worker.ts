// Measures one training of the growth benchmark in this process and prints the result as one JSON object.
//
// Usage: worker.ts TASK, with TASK as JSON (see sweeps.ts)

import { RandomStream } from "../../src/engine/index.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import { modelTrainer, type TrainerOptions } from "../../src/gfn/training/trainer.ts";
import { median } from "../statistics.ts";
import type { GrowthTask } from "./sweeps.ts";

const LETTERS = "ACGT";
const STICK = 0.25;
/** Fewest iterations that are measured, however long they take, and those before them. */
const [FEWEST, WARM_UP] = [5, 3];

function optionsOf({ length, isScoredByFunction, settings }: GrowthTask): TrainerOptions {
  const options = { alphabet: LETTERS, length, stick: STICK };
  const environment = isScoredByFunction ? longSequenceEnvironment(options) : sequenceEnvironment(options);
  const stream = RandomStream.fromSeed(0);
  const scores = isScoredByFunction
    ? (texts: readonly string[]) =>
        texts.map((text) => 0.1 + [...text].filter((letter) => letter === "A").length / length)
    : Float64Array.from({ length: LETTERS.length ** length }, () => stream.uniform() + 0.1);
  return { ...defaultSettings(environment, settings), environment, scores, seed: 0 };
}

const task = JSON.parse(process.argv[2]) as GrowthTask;
const options = optionsOf(task);
const started = performance.now();
const trainer = await modelTrainer({ ...options, engine: "native", threads: task.threads });
const ready = (performance.now() - started) / 1000;
let t = 0;
const step = () => trainer.step(t++, 0);
for (let i = 0; i < WARM_UP; i++) await step();
const times: number[] = [];
const end = performance.now() + 1000 * task.seconds;
while (times.length < FEWEST || performance.now() < end) {
  const before = performance.now();
  await step();
  times.push(performance.now() - before);
}
await trainer.dispose();
const memory = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ milliseconds: median(times), ready, memory }));
