// The child process that runs units, one after the other. It writes no files, so it can be killed at any time.

import { instructionSet } from "./instruction-set.ts";
import type { UnitKinds } from "./unit-kind.ts";
import type { UnitReply, UnitRequest } from "./unit-messages.ts";

type RunRequest = Extract<UnitRequest, { kind: "run" }>;

/** Units compute with one thread, so that their bytes do not depend on the machine, and a slot uses one core. */
const THREADS = 1;

/** Waits for requests and handles them. `explain` turns an error into a sentence. */
export function serveUnits(kinds: UnitKinds, explain: (error: Error) => string): void {
  // Terminals send signals to all their processes, and so do Slurm and systemd; the parent decides when this one ends. Without
  // a listener, SIGUSR1 would also open the port of Node's debugger.
  for (const name of ["SIGINT", "SIGHUP", "SIGTERM", "SIGUSR1"] as const) process.on(name, () => {});
  // The parent process has ended, so its children end too.
  process.on("disconnect", () => process.exit(1));

  let pause = new AbortController();
  process.on("message", async (request: UnitRequest) => {
    if (request.kind === "pause") return pause.abort();
    pause = new AbortController();
    try {
      await runUnit(kinds, request, pause.signal);
    } catch (error) {
      await send({ kind: "failed", message: error instanceof Error ? explain(error) : String(error) });
    }
  });
}

async function runUnit(
  kinds: UnitKinds,
  { unit, files, checkpoint, version }: RunRequest,
  pause: AbortSignal,
): Promise<void> {
  const kind = Object.hasOwn(kinds, unit.kind) ? kinds[unit.kind] : undefined;
  if (!kind) throw new Error(`there is no kind of unit ${JSON.stringify(unit.kind)}`);
  const problem = kind.problem(unit.settings);
  if (problem !== null) throw new Error(`the settings of the unit are wrong: ${problem}`);
  const input = (name: string) => {
    if (!Object.hasOwn(files, name)) throw new Error(`the unit has no input ${name}`);
    return files[name];
  };
  for await (const output of kind.run(unit.settings, { input, checkpoint, pause })) {
    await send(output);
    if (output.kind === "paused") return;
  }
  const engine = kind.engine(unit.settings);
  await send({
    kind: "done",
    provenance: { version, engine, threads: THREADS, instructions: instructionSet() },
  });
}

/** Resolves at once unless the parent is slow to read, so that a short unit does not wait for each of its messages. */
function send(reply: UnitReply): Promise<void> {
  return new Promise((done) => {
    const isTaken = process.send?.(reply, undefined, undefined, () => done());
    if (isTaken) done();
  });
}
