// Worker process of the fuzz benchmark: receives cases as messages and replies with their outcomes.
//
// Usage: fork fuzz/worker.ts FOLDER

import { type FuzzCase, Fuzzer } from "./fuzzer.ts";

const fuzzer = new Fuzzer(process.argv[2]);
process.on("message", async (each: FuzzCase) => {
  process.send?.(await fuzzer.try(each));
});
