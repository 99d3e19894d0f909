// The kill storm: while workers run units, workers, the broker and the coordinator are killed by SIGKILL and started again, and
// the network is cut. Every unit must have its result once, and few may run twice.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./brokers.ts";
import type { Setting } from "./setting.ts";
import { type Disturbance, mostExtraStarts, type StormSize, stormPlan } from "./storm-plan.ts";
import { type ResultLine, readResults, unitName } from "./storm-results.ts";
import { WorkerEvents, WorkerProcess } from "./worker-process.ts";

export interface StormResult {
  readonly seconds: number;
  /** Units with the right result. */
  readonly right: number;
  readonly wrong: number;
  readonly missing: number;
  /** Results beyond one per unit. */
  readonly repeated: number;
  readonly failures: readonly string[];
  /** Starts beyond one per unit, and the most that the disturbances allow. */
  readonly extraStarts: number;
  readonly mostExtraStarts: number;
  /** Disturbances that happened. */
  readonly disturbances: number;
}

const UNIT_SECONDS = 0.2;
const LOCK_SECONDS = 3;

export async function runStorm(
  setting: Setting,
  size: StormSize,
  {
    seed,
    timeout,
    say,
  }: { readonly seed: number; readonly timeout: number; readonly say: (line: string) => void },
): Promise<StormResult> {
  const { broker, main, folder } = setting;
  const file = join(folder, "results.jsonl");
  const port = await freePort();
  const url = broker.url(port);
  const proxy = await script("proxy.ts", [`${port}`, `${broker.port}`], "ready");
  const events = new WorkerEvents();
  const startWorker = (i: number) =>
    WorkerProcess.start(
      { main, queue: url, spool: join(folder, `spool-${i}`), lockSeconds: LOCK_SECONDS },
      events,
    );
  const workers = await Promise.all(Array.from({ length: size.workers }, (_, i) => startWorker(i)));
  const startCoordinator = () => script("coordinator.ts", [url, `${size.units}`, `${UNIT_SECONDS}`, file]);
  let coordinator = await startCoordinator();
  const began = performance.now();
  const isOver = () => performance.now() - began > 1000 * timeout;
  const ended = () => coordinator.exitCode !== null;

  const disturb = async (each: Disturbance): Promise<void> => {
    switch (each.kind) {
      case "worker": {
        await workers[each.which].kill();
        workers[each.which] = await startWorker(each.which);
        return;
      }
      case "broker":
        await broker.kill();
        await sleep(1000 * each.seconds);
        return broker.start();
      case "coordinator":
        await kill(coordinator);
        coordinator = await startCoordinator();
        return;
      case "cut":
        proxy.kill("SIGSTOP");
        await sleep(1000 * each.seconds);
        proxy.kill("SIGCONT");
        return;
      default:
        each satisfies never;
    }
  };

  let disturbances = 0;
  try {
    for (const each of stormPlan(size, seed, 1000 * UNIT_SECONDS)) {
      while (readResults(file).length < each.after && !isOver() && !ended()) await sleep(50);
      if (isOver() || ended()) break;
      await sleep(each.delay);
      say(
        `${((performance.now() - began) / 1000).toFixed(1)} s, ${readResults(file).length} results: ${each.kind}`,
      );
      await disturb(each);
      disturbances++;
    }
    while (!ended() && !isOver()) await sleep(100);
  } finally {
    await kill(coordinator);
    await Promise.all(workers.map((worker) => worker.stop()));
    await kill(proxy);
  }
  const seconds = (performance.now() - began) / 1000;
  return {
    seconds,
    ...judge(readResults(file), size.units),
    extraStarts: events.started - size.units,
    mostExtraStarts: mostExtraStarts(size),
    disturbances,
  };
}

/** What the lines of the results say about the units. */
export function judge(
  lines: readonly ResultLine[],
  units: number,
): Pick<StormResult, "right" | "wrong" | "missing" | "repeated" | "failures"> {
  const seen = new Set(lines.map(({ index }) => index));
  const failures = lines.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const wrong = lines.filter(({ index, name, failure }) => failure === undefined && name !== unitName(index));
  const right = new Set(
    lines.filter(({ index, name }) => name === unitName(index)).map(({ index }) => index),
  );
  return {
    right: right.size,
    wrong: wrong.length,
    missing: units - seen.size,
    repeated: lines.length - seen.size,
    failures,
  };
}

/** Starts a script of this folder, and waits until it prints a line if one is given. */
async function script(name: string, parameters: readonly string[], line?: string): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (line !== undefined) await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}
