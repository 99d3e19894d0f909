// A coordinator of the kill storm: runs units that wait on a queue and appends each result to a file, of which it is the only
// writer. Started again after a kill, it continues.
//
//   tsx bench/queue/coordinator.ts URL UNITS SECONDS-OF-EACH FILE

import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { isObject } from "../../src/executor/json-text.ts";
import type { UnitEvent } from "../../src/executor/unit.ts";
import { waitUnit } from "../../src/units/wait-unit.ts";
import { executorAt } from "./setting.ts";
import { type ResultLine, readResults, unitName } from "./storm-results.ts";

async function main([url, units, seconds, file]: readonly string[]): Promise<void> {
  // A line that a kill left incomplete is dropped.
  if (existsSync(file)) truncateSync(file, readFileSync(file).lastIndexOf("\n") + 1);
  const done = new Set(readResults(file).map(({ index }) => index));
  const open = Array.from({ length: Number(units) }, (_, index) => index).filter((index) => !done.has(index));
  const executor = await executorAt(url);
  const append = (line: ResultLine) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const handle = (event: UnitEvent) => {
    const index = open[event.index];
    if (event.kind === "failed") append({ index, failure: event.message });
    if (event.kind !== "finished") return;
    const [record] = event.records;
    append({ index, name: isObject(record) ? String(record.name) : "" });
  };
  await executor.run(
    open.map((index) => waitUnit(unitName(index), Number(seconds))),
    handle,
    new AbortController().signal,
  );
  await executor.close();
}

await main(process.argv.slice(2));
process.exit(0);
