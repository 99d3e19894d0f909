// Writes synthetic series as CSV: npx tsx scripts/growing-series.ts > growing.csv
//
// It writes twenty series of 144 months that grow exponentially, with a season and noise in proportion to the level.

import { RandomStream } from "../src/engine/index.ts";

const [SERIES, MONTHS] = [20, 144];

process.stdout.write("unique_id,ds,y\n");
for (let i = 0; i < SERIES; i++) {
  const stream = RandomStream.fromSeed(1).split(`${i}`);
  let drift = 0;
  for (let t = 0; t < MONTHS; t++) {
    drift += 0.02 * stream.normal();
    const season = 0.4 * Math.sin((2 * Math.PI * (t + i)) / 12);
    const y = 50 * Math.exp((0.01 + 0.001 * i) * t + season + drift + 0.08 * stream.normal());
    const month = new Date(Date.UTC(2000, t, 1)).toISOString().slice(0, 10);
    process.stdout.write(`series ${i + 1},${month},${y.toFixed(3)}\n`);
  }
}
