// Executes one measurement of the design benchmark in this process and prints its result as one JSON object. Only the
// sources of its section are loaded.
//
// Usage: design/worker.ts MEASUREMENT, a JSON object.

import type { Measurement } from "./design-case.ts";

async function measure(measurement: Measurement): Promise<unknown> {
  switch (measurement.section) {
    case "defaults":
      return (await import("./default-cases.ts")).measureDefaults(measurement);
    case "Ehrlich":
      return (await import("./ehrlich.ts")).measureEhrlich(measurement);
    case "channel":
      return (await import("./channel.ts")).measureChannel(measurement);
    case "oracles":
      return (await import("./oracle-cases.ts")).measureOracle(measurement);
    case "long strings":
      return (await import("./long-strings.ts")).measureLongStrings(measurement);
    default:
      return measurement satisfies never;
  }
}

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2]) as Measurement)));
