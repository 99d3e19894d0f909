// One policy for all preferences of two measured tables, CRX and SIX6: exact distances at five preferences. The package does
// not contain the files of these tables; the test is skipped if they are missing.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fit, sequenceEnvironment } from "gflownet";
import { preferenceEnvironment } from "gflownet/gfn";
import { parseBindingTable } from "gflownet/tasks";
import { expect, test } from "vitest";
import { conditionedDistances, fixedDistances } from "./support/preference-distances.ts";

const folder = fileURLToPath(new URL("../../shared/data/tfbind", import.meta.url));
const files = ["CRX", "SIX6"].map((name) => `${folder}/${name}_REF_R1_8mers.txt`);
const missing = files.filter((file) => !existsSync(file));
const reason = missing.length > 0 ? ` (skipped: ${missing.join(" and ")} missing)` : "";
const EXPONENT = 3;

test.skipIf(missing.length > 0)(
  `a policy for CRX and SIX6 is close to the targets of five preferences, where a policy for equal weights is not${reason}`,
  { timeout: 900_000 },
  async () => {
    const objectives = files.map((file) => parseBindingTable(readFileSync(file, "utf8"), file));
    const base = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0 });
    const environment = preferenceEnvironment({ environment: base, objectives });
    const trained = await fit({ environment, iterations: 6000, rewardExponent: EXPONENT });
    const distances = await conditionedDistances(trained);
    await trained.dispose();
    const { scores } = environment;
    const fixed = await fit({ environment: base, scores, iterations: 2000, rewardExponent: EXPONENT });
    const others = await fixedDistances(fixed, environment, EXPONENT);
    await fixed.dispose();
    for (const { tv, logZError } of distances) {
      expect(tv).toBeLessThan(0.08);
      expect(Math.abs(logZError)).toBeLessThan(0.05);
    }
    for (const at of [0, 1, 3, 4]) expect(distances[at].tv).toBeLessThan(others[at] / 2);
  },
);
