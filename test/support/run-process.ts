// A process of its own that does something to a run: node --import tsx run-process.ts <what> <folder>

import { createRun, openRun } from "../../src/run/folder.ts";

const [what, folder] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);
const iteration = (number: number) => ({ kind: "iteration", iteration: number, loss: 1 / number });

/** What a user would read. */
async function complaint(action: () => Promise<unknown>): Promise<string> {
  return action().then(
    () => "no complaint",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

switch (what) {
  case "hold": {
    // Iterations 1 to 3, a checkpoint, one event more, and then nothing until it is killed.
    const run = await openRun(folder);
    for (let i = 1; i <= 3; i++) run.appendMetrics(iteration(i));
    await run.writeCheckpoint(Uint8Array.of(3));
    run.appendMetrics({ kind: "evaluation", iteration: 4 } as { kind: string });
    say("ready");
    setInterval(() => {}, 1000);
    break;
  }
  case "open":
    say(await complaint(async () => (await openRun(folder)).close()));
    break;
  case "fill": {
    // Until the disk refuses, first the metrics and then a checkpoint.
    const run = await openRun(folder);
    let last = 0;
    say(
      await complaint(async () => {
        for (;;) {
          run.appendMetrics(iteration(last + 1));
          if (++last % 10 === 0) await run.writeCheckpoint(Uint8Array.of(last));
        }
      }),
    );
    say(await complaint(() => run.writeCheckpoint(new Uint8Array(2 ** 16))));
    say(await complaint(() => run.close()));
    const other = await openRun(folder);
    say(await complaint(() => other.writeCheckpoint(new Uint8Array(2 ** 16))));
    await other.close();
    break;
  }
  case "forbidden":
    // Root may do anything, so it becomes nobody.
    if (process.getuid?.() === 0) process.setuid?.(65534);
    say(await complaint(() => openRun(folder)));
    say(await complaint(() => createRun(`${folder}/inside`, "{}")));
    break;
  default:
    throw new Error(`run-process: ${what}?`);
}
