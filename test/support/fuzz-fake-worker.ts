// Replaces bench/fuzz/worker.ts in tests: depending on the seed, it replies, hangs or exits.

process.on("message", ({ seed }: { seed: number }) => {
  if (seed === 1) return;
  if (seed === 2) {
    process.stderr.write("Error: out of order\n", () => process.exit(3));
    return;
  }
  process.send?.({ kind: "refused", message: `${seed} is refused` });
});
