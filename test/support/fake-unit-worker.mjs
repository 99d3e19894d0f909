// A child process that answers each request as the kind of its unit asks for: it finishes, fails, crashes, never ends, and so
// on.

import { appendFileSync } from "node:fs";

let isPaused = false;
const send = (reply) => process.send(reply);
const provenance = { version: "1.0.0", engine: null, threads: 1, instructions: "none" };
const done = (record) => {
  send({ kind: "record", record });
  send({ kind: "done", provenance });
};

const BEHAVIOURS = {
  finish() {
    send({ kind: "progress", progress: 0.5 });
    send({ kind: "record", record: { process: process.pid, kl: Number.POSITIVE_INFINITY } });
    send({ kind: "checkpoint", bytes: Uint8Array.of(1) });
    send({ kind: "done", provenance });
  },
  fail: () => send({ kind: "failed", message: "the loss is NaN" }),
  "fail-strangely": () => send({ kind: "failed", message: "bad\0byte and \u001b[31mcolour" }),
  crash: () => process.stderr.write("out of luck\n", () => process.exit(3)),
  "crash-by-error": () => {
    throw new RangeError("the wheel came off");
  },
  complain: () => process.stderr.write("a warning of an earlier unit\n", () => setTimeout(done, 200, {})),
  "crash-silently": () => process.exit(4),
  hang: () => setInterval(() => {}, 1000),
  eat() {
    const eaten = [];
    setInterval(() => eaten.push(Buffer.alloc(2 ** 25, 1)), 10);
  },
  environment: () => done({ ...process.env }),
  /** Says in a file that it started, and finishes after a time. */
  count({ file, name, milliseconds }) {
    appendFileSync(file, `${name}\n`);
    setTimeout(() => done({ name }), milliseconds);
  },
  random: ({ milliseconds }) => setTimeout(() => done({ value: Math.random() }), milliseconds),
  /** Counts to a number, one step each 20 ms, with a record for each; can be paused. */
  steps({ steps }, checkpoint) {
    let next = checkpoint?.[0] ?? 0;
    if (next > 200) return send({ kind: "failed", message: "the checkpoint is damaged" });
    const save = () => send({ kind: "checkpoint", bytes: Uint8Array.of(next) });
    const timer = setInterval(() => {
      if (isPaused) save();
      if (isPaused || next === steps) clearInterval(timer);
      if (isPaused) return send({ kind: "paused" });
      if (next === steps) return send({ kind: "done", provenance });
      send({ kind: "record", record: { step: next++ } });
      if (next % 10 === 0) save();
    }, 20);
  },
};

for (const name of ["SIGTERM", "SIGUSR1"]) process.on(name, () => {});
process.on("disconnect", () => process.exit(1));
process.on("message", ({ kind, unit, checkpoint }) => {
  isPaused = kind === "pause";
  if (!isPaused) BEHAVIOURS[unit.kind](unit.settings, checkpoint);
});
