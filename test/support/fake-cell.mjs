// A cell's process that does as it is told: ends well, fails, crashes, or never ends.

process.on("disconnect", () => process.exit(1));
process.once("message", ({ does, share }) => {
  const send = (message, then = () => {}) => process.send(message, then);
  if (does === "finish") {
    send({ kind: "progress", share });
    send({ kind: "record", record: { calls: process.pid, kl: Number.POSITIVE_INFINITY } });
    send({ kind: "done" }, () => process.exit(0));
  }
  if (does === "fail") send({ kind: "failed", message: "the loss is NaN" }, () => process.exit(0));
  if (does === "crash") {
    process.stderr.write("out of luck\n", () => process.exit(3));
  }
  if (does === "hang") setInterval(() => {}, 1000);
});
