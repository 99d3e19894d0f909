// A simulation on paper of 10,000 workers: what their broker must hold, computed from what a unit and a worker cost a server
// of this machine. It prints one table per store.
//
//   npx tsx bench/queue/simulation.ts            # measures, which takes about two minutes
//   npx tsx bench/queue/simulation.ts FILE       # computes from the measurements in FILE, a JSON object

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileCommandLine } from "../crash/process.ts";
import { type BrokerCost, measureBrokerCost } from "./broker-cost.ts";
import { STORES, type Store, startBroker } from "./brokers.ts";
import { withFolder } from "./setting.ts";

export type MeasuredCosts = Readonly<Record<Store, BrokerCost>>;

export interface Load {
  /** Units that run at a time. */
  readonly slots: number;
  readonly slotsPerWorker: number;
  /** Seconds of a unit. */
  readonly unitSeconds: number;
  /** Units that wait. */
  readonly queued: number;
  /** Characters of a unit. */
  readonly unitCharacters: number;
}

export interface Needs {
  readonly unitsPerSecond: number;
  readonly requestsPerSecond: number;
  /** Processor cores of the server. */
  readonly cores: number;
  readonly connections: number;
  /** Bytes of queued units, besides the server's own. */
  readonly bytes: number;
}

/** Events that BullMQ keeps in a stream of Redis; older ones are lost to a coordinator that reads too slowly. */
export const KEPT_EVENTS = 10_000;
/** Events of a unit: waiting, active, completed, removed. */
export const EVENTS_PER_UNIT = 4;
/** What a server allows without tuning, and the cores that one can use. */
export const LIMITS: Readonly<Record<Store, { readonly connections: number; readonly cores: number }>> = {
  redis: { connections: 10_000, cores: 1 },
  postgresql: { connections: 100, cores: Number.POSITIVE_INFINITY },
};

/**
 * What a broker needs. Assumed: a renewal of a lock costs as much as the average request of a unit; renewals of a worker are one
 * request for all its slots; cost per unit does not grow with the number of waiting units.
 */
export function brokerNeeds(cost: BrokerCost, load: Load): Needs {
  const { slots, slotsPerWorker, unitSeconds, queued, unitCharacters } = load;
  const workers = slots / slotsPerWorker;
  const unitsPerSecond = slots / unitSeconds;
  const renewals = workers * cost.busyRequests;
  const secondsPerRequest = cost.unitSeconds / cost.unitRequests;
  return {
    unitsPerSecond,
    requestsPerSecond: unitsPerSecond * cost.unitRequests + renewals,
    cores: unitsPerSecond * cost.unitSeconds + renewals * secondsPerRequest,
    connections: workers * cost.connectionsPerWorker + cost.connectionsPerCoordinator,
    bytes: queued * (cost.queuedBytes + unitCharacters),
  };
}

const SLOTS = 10_000;
const UNIT_SECONDS = [1, 10, 60, 600];
const SLOTS_PER_WORKER = [1, 64];
const [QUEUED, UNIT_CHARACTERS] = [100_000, 2000];

async function main(file: string | undefined): Promise<void> {
  const costs =
    file === undefined ? await measure() : (JSON.parse(await readFile(file, "utf8")) as MeasuredCosts);
  console.log(`${JSON.stringify(costs, null, 2)}\n`);
  console.log(
    "| store | slots per worker | seconds of a unit | units per second | requests per second | cores | connections | memory of 100,000 units of 2 kB |",
  );
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|");
  for (const store of STORES) {
    for (const slotsPerWorker of SLOTS_PER_WORKER) {
      for (const unitSeconds of UNIT_SECONDS) {
        const load = {
          slots: SLOTS,
          slotsPerWorker,
          unitSeconds,
          queued: QUEUED,
          unitCharacters: UNIT_CHARACTERS,
        };
        const needs = brokerNeeds(costs[store], load);
        const whole = (value: number) => Math.round(value).toLocaleString("en");
        const cells = [
          ...[
            store,
            slotsPerWorker,
            unitSeconds,
            whole(needs.unitsPerSecond),
            whole(needs.requestsPerSecond),
          ],
          ...[needs.cores.toFixed(1), whole(needs.connections), `${whole(needs.bytes / 2 ** 20)} MiB`],
        ];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
  }
}

async function measure(): Promise<MeasuredCosts> {
  const output = fileURLToPath(new URL("../output/queue/compiled", import.meta.url));
  const { main } = await compileCommandLine(output);
  const entries: [Store, BrokerCost][] = [];
  for (const store of STORES) {
    const broker = await startBroker(store);
    try {
      entries.push([store, await withFolder((folder) => measureBrokerCost({ broker, main, folder }))]);
    } finally {
      await broker.close();
    }
  }
  return Object.fromEntries(entries) as Record<Store, BrokerCost>;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv[2]);
  process.exit(0);
}
