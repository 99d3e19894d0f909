// A folder for data that several test files share, such as a build. It is deleted after all tests.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet-tests-")));
  // Workers start later and inherit this environment variable.
  process.env.GFLOWNET_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
