// A program that takes a given time for each string and scores it by its share of the letter A:
//
//   node timed-oracle.mjs PROTOCOL MICROSECONDS

import { createInterface } from "node:readline";

const [protocol, microseconds] = process.argv.slice(2);
const milliseconds = Number(microseconds) / 1000;
const clock = new Int32Array(new SharedArrayBuffer(4));

function work() {
  // Sleeping is accurate to about a millisecond; shorter times are spent computing.
  if (milliseconds > 5) return void Atomics.wait(clock, 0, 0, milliseconds);
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

for await (const line of createInterface({ input: process.stdin })) {
  const string = protocol === "plain-lines" ? line : JSON.parse(line).string;
  work();
  const score = (string.split("A").length - 1) / string.length;
  process.stdout.write(`${protocol === "plain-lines" ? score : JSON.stringify({ string, score })}\n`);
}
