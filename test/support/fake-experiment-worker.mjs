// A child process of the worker pool that does what its request asks for: it finishes, fails, crashes or never ends.

process.on("disconnect", () => process.exit(1));
process.once("message", ({ behaviour, progress }) => {
  const send = (message, then = () => {}) => process.send(message, then);
  if (behaviour === "finish") {
    send({ kind: "progress", progress });
    send({ kind: "record", record: { calls: process.pid, kl: Number.POSITIVE_INFINITY } });
    send({ kind: "done" }, () => process.exit(0));
  }
  if (behaviour === "fail") send({ kind: "failed", message: "the loss is NaN" }, () => process.exit(0));
  if (behaviour === "crash") {
    process.stderr.write("out of luck\n", () => process.exit(3));
  }
  if (behaviour === "hang") setInterval(() => {}, 1000);
});
