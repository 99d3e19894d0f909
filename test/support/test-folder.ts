// A folder for what several test files use, such as a build; removed when all tests have ended.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet-tests-")));
  // Workers are started later, and have the same environment.
  process.env.GFLOWNET_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
