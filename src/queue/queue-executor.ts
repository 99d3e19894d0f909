// Runs units on queues of a broker, by workers on any machine.
//
// Units without permissions share one queue per version of this package. A unit that runs a program of a problem file has a
// queue of that problem, so that only workers get it whose own command line allows the program.

import type { Executor, Unit, UnitHandler } from "../executor/unit.ts";
import { type UnitChannelOptions, unitChannel } from "./unit-channel.ts";

export type QueueExecutorOptions = Omit<UnitChannelOptions, "name">;

export function queueExecutor(options: QueueExecutorOptions): Executor {
  const channels = new Map<string, Promise<Executor>>();
  const instructions = new Set<string>();
  const noteInstructions = (used: string) => {
    if (instructions.has(used)) return;
    instructions.add(used);
    if (instructions.size !== 2) return;
    const both = [...instructions].map((each) => `"${each}"`).join(" and ");
    options.warn(
      `machines with different instruction sets work on this queue, ${both}; last digits may differ`,
    );
  };
  const channelOf = (name: string): Promise<Executor> => {
    const channel = channels.get(name) ?? unitChannel({ ...options, name });
    channels.set(name, channel);
    return channel;
  };
  return {
    async run(units, handle, signal) {
      const failed = new AbortController();
      const ended = AbortSignal.any([signal, failed.signal]);
      const parts = [...byQueue(units, options.version)].map(async ([name, places]) => {
        const channel = await channelOf(name);
        const part = places.map((index) => units[index]);
        const handlePart: UnitHandler = (event) => {
          // An oracle does not compute by these instructions.
          if (event.kind === "finished" && event.provenance.engine !== null) {
            noteInstructions(event.provenance.instructions);
          }
          return handle({ ...event, index: places[event.index] });
        };
        await channel.run(part, handlePart, ended).catch((error: unknown) => {
          failed.abort();
          throw error;
        });
      });
      const rejected = (await Promise.allSettled(parts)).find((end) => end.status === "rejected");
      if (rejected) throw rejected.reason;
    },
    async close() {
      const open = await Promise.allSettled(channels.values());
      await Promise.all(
        open.map((channel) => (channel.status === "fulfilled" ? channel.value.close() : null)),
      );
    },
  };
}

/** Places of units by the name of their queue. */
function byQueue(units: readonly Unit[], version: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { inputs = {} }] of units.entries()) {
    const name = "problem" in inputs ? problemQueue(inputs.problem) : sharedQueue(version);
    places.set(name, [...(places.get(name) ?? []), index]);
  }
  return places;
}

/** The queue of units that need no permission. */
export function sharedQueue(version: string): string {
  return `units-${version}`;
}

/** The queue of units that run the program of a problem file with this SHA-256. Workers in other languages know only this. */
export function problemQueue(hash: string): string {
  return `oracle-${hash}`;
}
