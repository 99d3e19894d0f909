// A program that scores strings by their number of A's, or misbehaves in one of many ways.
//
//   node oracle-program.mjs PROTOCOL BEHAVIOUR [MARKER]
//
// With a marker, only the process that creates this file misbehaves; the others score as they should.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [protocol, wanted, marker] = process.argv.slice(2);
const isHealthy = marker !== undefined && existsSync(marker);
if (marker !== undefined) appendFileSync(marker, `${process.pid}\n`);
const behaviour = isHealthy ? "good" : wanted;
const isPlain = protocol === "plain-lines";
const scoreOf = (string) => [...string].filter((letter) => letter === "A").length;
const lineOf = (string, score) => (isPlain ? `${score}\n` : `${JSON.stringify({ string, score })}\n`);
const print = (text) => process.stdout.write(text);
let count = 0;
const held = [];

if (behaviour === "banner") print("Loading the model ...\n");
if (behaviour === "numeric banner" || behaviour === "slow banner") print("7\n");
if (behaviour === "errors") process.stderr.write("first\nTraceback: the model is missing\n");
if (behaviour === "flood") for (;;) if (!print("x".repeat(65536))) break;
if (behaviour === "flood") setInterval(() => print("x".repeat(65536)), 0);
if (behaviour === "fork") {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
  writeFileSync(`${marker}.child`, String(child.pid));
}

/** Milliseconds that a slow program takes for each string. */
const SLOW = 1100;

for await (const line of createInterface({ input: process.stdin })) {
  const string = isPlain ? line : JSON.parse(line).string;
  const good = lineOf(string, scoreOf(string));
  count++;
  if (behaviour === "crash" || (behaviour === "crash at X" && string.includes("X"))) {
    process.stderr.write(`cannot score ${string}\n`);
    process.exit(3);
  } else if (behaviour === "errors") process.exit(1);
  else if (["hang", "flood", "fork"].includes(behaviour)) continue;
  else if (behaviour === "text") print("the score is high\n");
  else if (behaviour === "nan")
    print(isPlain ? "nan\n" : `{"string": ${JSON.stringify(string)}, "score": NaN}\n`);
  else if (behaviour === "error") print(`${JSON.stringify({ string, error: "not a molecule" })}\n`);
  else if (behaviour === "too few") print(count % 3 === 0 ? "" : good);
  else if (behaviour === "too many") print(good + good);
  else if (behaviour === "two numbers") print(`${scoreOf(string)}\n0.25\n`);
  else if (behaviour === "another string") print(lineOf(`${string}A`, 99));
  else if (behaviour === "swapped") {
    held.push(string);
    if (held.length === 2) for (const each of held.splice(0).reverse()) print(lineOf(each, scoreOf(each)));
  } else if (behaviour === "late") {
    print(good);
    // An extra line comes before the next answer, as if the last batch had one line too many.
    if (count === 2) setTimeout(() => print(lineOf("late", 55)), 30);
  } else if (behaviour === "shifted" || (behaviour === "shifted later" && count > 2)) {
    // A number too many comes first, and the last line a moment after the others, as on a busy machine.
    if (held.length === 0) print("0.5\n");
    held.push(good);
    if (held.length < 4) print(good);
    else setTimeout(() => print(good), 10);
  } else if (behaviour === "slow banner") {
    await sleep(SLOW);
    print(good);
  } else if (behaviour === "slow surplus") {
    // The first batch of two strings is right; later there is a line too many.
    await sleep(SLOW);
    print(count === 3 ? `${good}0.5\n` : good);
  } else if (behaviour === "banner and crash") {
    if (count === 1) print(`7\n${good}`);
    else process.exit(3);
  } else if (behaviour === "unflushed") {
    held.push(good);
  } else if (behaviour === "colours") {
    process.stderr.write("\u001b[31mno model\u0007\u001b[0m\n");
    print(`${JSON.stringify({ string, error: `\u001b[2J\u0007${"no\n".repeat(2000)}` })}\n`);
  } else if (behaviour === "environment") {
    writeFileSync(process.env.ENVIRONMENT_FILE, JSON.stringify(process.env));
    print(good);
  } else if (behaviour === "once") {
    print(good);
    if (count === 2) process.exit(0);
  } else print(good);
}
if (behaviour === "unflushed") print(held.join(""));
