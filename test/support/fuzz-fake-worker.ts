// Stands in for bench/fuzz/worker.ts: answers, hangs or ends, as the seed says.

process.on("message", ({ seed }: { seed: number }) => {
  if (seed === 1) return;
  if (seed === 2) {
    process.stderr.write("Error: out of order\n", () => process.exit(3));
    return;
  }
  process.send?.({ kind: "refused", message: `${seed} is refused` });
});
