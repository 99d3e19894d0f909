// A program that takes a given time for each string and scores it by its share of the letter A:
//
//   node timed-oracle.mjs PROTOCOL MICROSECONDS

import { createInterface } from "node:readline";

const [protocol, microseconds] = process.argv.slice(2);
const milliseconds = Number(microseconds) / 1000;
const clock = new Int32Array(new SharedArrayBuffer(4));

function score(string) {
  const end = performance.now() + milliseconds;
  // Sleeping is accurate to about a millisecond; shorter times are spent computing.
  if (milliseconds > 5) Atomics.wait(clock, 0, 0, milliseconds);
  const share = (string.split("A").length - 1) / string.length;
  while (performance.now() < end);
  return share;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (protocol === "plain-lines") process.stdout.write(`${score(line)}\n`);
  else {
    const { string } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ string, score: score(string) })}\n`);
  }
}
