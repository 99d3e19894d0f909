// A separate process that performs an action on a run: node --import tsx run-process.ts <action> <folder>

import { createRun, openForWriting } from "../../src/run/run-folder.ts";

const [action, folder] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);
const iteration = (number: number) => ({ kind: "iteration", iteration: number, loss: 1 / number });

/** Calls a function and returns its error as text. */
async function errorOf(call: () => Promise<unknown>): Promise<string> {
  return call().then(
    () => "no error",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

switch (action) {
  case "hold": {
    // Writes iterations 1 to 3, a checkpoint and one more event, and then waits until it is killed.
    const run = await openForWriting(folder);
    for (let i = 1; i <= 3; i++) run.appendMetrics(iteration(i));
    await run.writeCheckpoint(Uint8Array.of(3));
    run.appendMetrics({ kind: "evaluation", iteration: 4 } as { kind: string });
    say("ready");
    setInterval(() => {}, 1000);
    break;
  }
  case "open":
    say(await errorOf(async () => (await openForWriting(folder)).close()));
    break;
  case "fill": {
    // Writes until the disk is full: first the metrics, then a checkpoint.
    const run = await openForWriting(folder);
    let last = 0;
    say(
      await errorOf(async () => {
        for (;;) {
          run.appendMetrics(iteration(last + 1));
          if (++last % 10 === 0) await run.writeCheckpoint(Uint8Array.of(last));
        }
      }),
    );
    say(await errorOf(() => run.writeCheckpoint(new Uint8Array(2 ** 16))));
    say(await errorOf(() => run.close()));
    const other = await openForWriting(folder);
    say(await errorOf(() => other.writeCheckpoint(new Uint8Array(2 ** 16))));
    await other.close();
    break;
  }
  case "forbidden":
    // Root can write anywhere, so the process changes to the user nobody.
    if (process.getuid?.() === 0) process.setuid?.(65534);
    say(await errorOf(() => openForWriting(folder)));
    say(await errorOf(() => createRun(`${folder}/inside`, "{}")));
    break;
  default:
    throw new Error(`run-process: unknown action ${action}`);
}
