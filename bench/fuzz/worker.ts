// A process that tries one case of the fuzz benchmark after the other, as it is sent them.
//
// Usage: fuzz/worker.ts FOLDER, forked.

import { type Case, Fuzzer } from "./case.ts";

const fuzzer = new Fuzzer(process.argv[2]);
process.on("message", async (each: Case) => {
  process.send?.(await fuzzer.try(each));
});
