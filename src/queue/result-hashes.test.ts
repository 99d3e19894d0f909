// Tests of hashes of results: different ones in equal circumstances are found.

import { expect, test } from "vitest";
import { ResultHashes } from "./result-hashes.ts";

const provenance = { version: "1.0.0", engine: "native", threads: 1, instructions: "x64 avx" };

test("a unit that gave different results in equal circumstances is found", () => {
  const hashes = new ResultHashes();
  hashes.addResult("same", { records: [{ kl: 1, seconds: 2 }], provenance });
  hashes.addResult("same", { records: [{ kl: 1, seconds: 3 }], provenance });
  hashes.addResult("other machine", { records: [1], provenance });
  hashes.addResult("other machine", { records: [2], provenance: { ...provenance, instructions: "x64" } });
  expect(hashes.differing()).toEqual([]);
  hashes.addReport("different", { hash: "a", provenance });
  hashes.addReport("different", { hash: "b", provenance: { ...provenance } });
  expect(hashes.differing()).toEqual(["different"]);
});
