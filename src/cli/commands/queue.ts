// `gflownet queue`: looks at a queue, tries failed units again, empties it, or measures it.

import { randomUUID } from "node:crypto";
import { UserError } from "../../issues.ts";
import { median } from "../../math/statistics.ts";
import type { UnitQueue } from "../../queue/broker.ts";
import { sha256OfFile } from "../../queue/input-files.ts";
import { problemQueue, queueExecutor, sharedQueue } from "../../queue/queue-executor.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { waitUnit } from "../../units/wait-unit.ts";
import { printJson } from "../output.ts";
import { brokerOf, warn } from "../queue-input.ts";
import { EXIT_CODES } from "../report-error.ts";
import { readVersion } from "../version.ts";

export interface QueueCommand {
  readonly queue: string;
  /** The queue of a problem file instead of that of this version. */
  readonly problem?: string;
  readonly json?: boolean;
}

export interface QueueTestCommand extends QueueCommand {
  readonly units: number;
  /** Seconds that each unit waits. */
  readonly wait: number;
}

export async function queueStatus(command: QueueCommand): Promise<void> {
  await withQueue(command, async (queue, name, broker) => {
    const counts = await queue.getJobCounts("waiting", "active", "delayed", "completed", "failed");
    const workers = await queue.getWorkersCount();
    const failures = await queue.getFailed(0, 4);
    if (command.json) {
      printJson({ broker, queue: name, workers, ...counts });
      return;
    }
    process.stdout.write(
      [
        `${broker}, queue ${name}`,
        `  ${formatCountOf(workers, "worker")} connected`,
        `  ${counts.waiting + counts.delayed} waiting, ${counts.active} running, ${counts.completed} finished and not fetched, ${counts.failed} failed`,
        ...failures.map((job) => `  failed: ${job?.id?.slice(0, 8)}: ${job?.failedReason}`),
        "",
      ].join("\n"),
    );
  });
}

export async function queueRetry(command: QueueCommand): Promise<void> {
  await withQueue(command, async (queue, name, broker) => {
    const count = await queue.getFailedCount();
    await queue.retryJobs({ state: "failed" });
    if (command.json) printJson({ broker, queue: name, retried: count });
    else process.stdout.write(`${formatCountOf(count, "failed unit")} will run again.\n`);
  });
}

export async function queueDrain(command: QueueCommand): Promise<void> {
  await withQueue(command, async (queue, name, broker) => {
    const counts = await queue.getJobCounts(
      "waiting",
      "active",
      "delayed",
      "prioritized",
      "completed",
      "failed",
    );
    const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
    await queue.obliterate({ force: true });
    if (command.json) printJson({ broker, queue: name, removed: count });
    else
      process.stdout.write(
        `Removed ${formatCountOf(count, "unit")} and everything else of the queue ${name}.\n`,
      );
  });
}

/** Sends units that only wait, one after the other, and prints how long each takes beside its own time. */
export async function queueTest({ units, wait, ...command }: QueueTestCommand): Promise<void> {
  const broker = await brokerOf(command.queue);
  const executor = queueExecutor({ broker, version: readVersion(), warn });
  const times: number[] = [];
  const failures: string[] = [];
  const id = randomUUID();
  try {
    for (let i = 0; i < units; i++) {
      const start = performance.now();
      await executor.run(
        [waitUnit(`${id} ${i}`, wait)],
        (event) => {
          if (event.kind === "failed") failures.push(event.message);
        },
        new AbortController().signal,
      );
      times.push(performance.now() - start - 1000 * wait);
    }
  } finally {
    await executor.close();
  }
  const overhead = median(times);
  if (command.json)
    printJson({ broker: broker.text, units, failed: failures.length, overheadMilliseconds: overhead });
  else {
    process.stdout.write(
      `${formatCountOf(units, "unit")} by ${broker.text}: ${overhead.toFixed(1)} ms of overhead each (median).\n`,
    );
  }
  if (failures.length === 0) return;
  process.stderr.write(`gflownet: ${failures.length} units failed: ${failures[0]}\n`);
  process.exitCode = EXIT_CODES.failed;
}

async function withQueue(
  { queue: given, problem }: QueueCommand,
  act: (queue: UnitQueue, name: string, broker: string) => Promise<void>,
): Promise<void> {
  const name = problem === undefined ? sharedQueue(readVersion()) : problemQueue(await sha256OfFile(problem));
  const broker = await brokerOf(given);
  const queue = broker.queue(name);
  let lost: Error | undefined;
  queue.on("error", (error) => {
    lost = error;
  });
  try {
    await act(queue, name, broker.text);
  } catch (error) {
    if (lost) throw new UserError(`${broker.text} does not answer: ${lost.message}`, { cause: error });
    throw error;
  } finally {
    await queue.close();
  }
}
