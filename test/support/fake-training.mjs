// A program that takes the part of `gflownet train` in tests of the dashboard: it holds the lock of its run until it is
// interrupted, notes how it was started and how often it was interrupted, and fails if the settings say so.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const args = process.argv.slice(2);
const after = (flag) => args[args.indexOf(flag) + 1];
const isNew = args.includes("--config");
const folder = isNew ? after("--out") : after("--resume");
const config = isNew ? JSON.parse(readFileSync(after("--config"), "utf8")) : null;
if (config?.seed === 666) {
  process.stderr.write("gflownet: the seed is unlucky; choose another one\n");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const lock = join(folder, "run.lock");
const holder = {
  pid: process.pid,
  host: hostname(),
  bootId: null,
  startTime: null,
  pidNamespace: null,
  token: "x",
};
writeFileSync(lock, JSON.stringify(holder));
if (config) writeFileSync(join(folder, "config.json"), JSON.stringify({ version: 2, ...config }));
let interrupted = 0;
process.on("SIGINT", () => {
  interrupted++;
  writeFileSync(join(folder, "interrupted.txt"), String(interrupted));
  setTimeout(() => {
    rmSync(lock);
    process.exit(130);
  }, 100);
});
setInterval(() => {}, 1000);
