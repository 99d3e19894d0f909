// Cells in processes of their own, several at a time: one that fails, crashes or runs out of memory harms no other.

import { type ChildProcess, fork } from "node:child_process";
import type { CellEvent } from "./cell.ts";
import type { Cell } from "./grid.ts";
import type { CellRecord } from "./record.ts";

/** What a process says: the events of its cell, and how it ended. */
export type WorkerMessage =
  | CellEvent
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

export interface PoolOptions {
  readonly cells: readonly Cell[];
  /** Processes at a time. */
  readonly jobs: number;
  /** The file that a process runs. It gets the order for its cell as a message, and answers with WorkerMessages. */
  readonly worker: URL;
  orderFor(cell: Cell): object;
  /** Ends all processes, and begins no more. */
  readonly signal: AbortSignal;
}

export type PoolEvent =
  | { readonly kind: "begun"; readonly cell: Cell }
  | { readonly kind: "progress"; readonly cell: Cell; readonly share: number }
  | { readonly kind: "record"; readonly cell: Cell; readonly record: CellRecord }
  | { readonly kind: "finished"; readonly cell: Cell; readonly records: readonly CellRecord[] }
  | { readonly kind: "failed"; readonly cell: Cell; readonly message: string };

/** How much of what a process complains of is kept. */
const MOST_COMPLAINTS = 4000;

/** Runs all cells. `handle` is awaited before the place of a cell that ended goes to the next one. */
export async function runPool(
  options: PoolOptions,
  handle: (event: PoolEvent) => Promise<void> | void,
): Promise<void> {
  const { cells, jobs, signal } = options;
  const waiting = [...cells];
  const lane = async () => {
    for (let cell = waiting.shift(); cell && !signal.aborted; cell = waiting.shift()) {
      await runInProcess(cell, options, handle);
    }
  };
  const lanes = Array.from({ length: Math.min(jobs, cells.length) }, lane);
  const ends = await Promise.allSettled(lanes.map((each) => each.catch(stopOthers)));
  const wrong = ends.find((end) => end.status === "rejected");
  if (wrong) throw wrong.reason;

  /** Whoever handles events could not: there is nobody to work for. */
  function stopOthers(error: unknown): never {
    waiting.length = 0;
    throw error;
  }
}

async function runInProcess(
  cell: Cell,
  { worker, orderFor, signal }: PoolOptions,
  handle: (event: PoolEvent) => Promise<void> | void,
): Promise<void> {
  await handle({ kind: "begun", cell });
  if (signal.aborted) return;
  const child = fork(worker, [], { serialization: "advanced", stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const end = await followed(child, cell, orderFor(cell), handle);
    if (!signal.aborted) await handle({ cell, ...end });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type CellEnd =
  | { readonly kind: "finished"; readonly records: readonly CellRecord[] }
  | { readonly kind: "failed"; readonly message: string };

function followed(
  child: ChildProcess,
  cell: Cell,
  order: object,
  handle: (event: PoolEvent) => Promise<void> | void,
): Promise<CellEnd> {
  const records: CellRecord[] = [];
  let complaints = "";
  let end: CellEnd | null = null;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-MOST_COMPLAINTS);
  });
  return new Promise((done, fail) => {
    const tell = (event: PoolEvent) => {
      Promise.resolve(handle(event)).catch((error: unknown) => {
        child.kill("SIGTERM");
        fail(error);
      });
    };
    child.on("message", (message: WorkerMessage) => {
      switch (message.kind) {
        case "progress":
          tell({ cell, ...message });
          break;
        case "record":
          records.push(message.record);
          tell({ cell, ...message });
          break;
        case "done":
          end = { kind: "finished", records };
          break;
        case "failed":
          end = message;
          break;
        default:
          message satisfies never;
      }
    });
    child.on("error", (error) => done({ kind: "failed", message: error.message }));
    child.on("close", (code, name) =>
      done(end ?? { kind: "failed", message: crash(code, name, complaints) }),
    );
    child.send(order, () => {}); // one that cannot be told has ended, and says so by that
  });
}

/** Why a process ended that said nothing. */
function crash(code: number | null, signal: string | null, complaints: string): string {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const last = complaints.trim().split("\n").at(-1) ?? "";
  return `its process ended ${how}${last ? `: ${last}` : ""}`;
}
