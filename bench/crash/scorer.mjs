// The program that scores strings in the crash benchmark of designs: JSON lines, about a millisecond for each string. It ends
// when its input does.
//
// Usage: node scorer.mjs MARK, a word by which the benchmark finds processes that are left over.

import { createInterface } from "node:readline";
import { scoreOf } from "./score-of.mjs";

const clock = new Int32Array(new SharedArrayBuffer(4));

for await (const line of createInterface({ input: process.stdin })) {
  const { string } = JSON.parse(line);
  Atomics.wait(clock, 0, 0, 1);
  process.stdout.write(`${JSON.stringify({ string, score: scoreOf(string) })}\n`);
}
