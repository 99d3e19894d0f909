// A process that scores strings into a folder until it is killed, or until the disk is full:
//
//   node --import tsx test/support/score-store-process.ts FOLDER
//
// It prints a line for each round of scores that it got, and in the end the error that stopped it.

import { functionOracle } from "../../src/oracle/function-oracle.ts";
import { openScoreStore } from "../../src/oracle/score-store.ts";

const oracle = functionOracle({
  score: async (string) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return string.length + Number(string.slice(1)) / 1e6;
  },
  version: "1",
  batch: 4,
  concurrency: 3,
});
const store = await openScoreStore({ folder: process.argv[2], oracle });
try {
  for (let round = 0; ; round++) {
    const strings = Array.from({ length: 40 }, (_, i) => `s${40 * round + i}`);
    const scored = await store.score(strings);
    if (scored.some(({ status }) => status !== "scored")) throw new Error("a string has no score");
    console.log(`${round} ${store.calls}`);
  }
} catch (error) {
  console.log(String(error));
} finally {
  await store.close();
}
