// A child process that answers each request as the kind of its unit asks for: it finishes, fails, crashes or never ends.

process.on("disconnect", () => process.exit(1));
process.on("message", ({ unit }) => {
  const provenance = { version: "1.0.0", engine: null, threads: 1, instructions: "none" };
  if (unit.kind === "finish") {
    process.send({ kind: "progress", progress: 0.5 });
    process.send({ kind: "record", record: { process: process.pid, kl: Number.POSITIVE_INFINITY } });
    process.send({ kind: "checkpoint", bytes: Uint8Array.of(1) });
    process.send({ kind: "done", provenance });
  }
  if (unit.kind === "fail") process.send({ kind: "failed", message: "the loss is NaN" });
  if (unit.kind === "crash") process.stderr.write("out of luck\n", () => process.exit(3));
  if (unit.kind === "hang") setInterval(() => {}, 1000);
});
