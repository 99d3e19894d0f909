// Draws the picture of the dashboard in the README: npx tsx scripts/dashboard-picture.ts [FOLDER]
//
// It needs Chromium and the built page (npm run build). Without a folder it trains three seeds of two objectives, which takes
// about two minutes, and shows them compared.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDashboard } from "../src/dashboard/server.ts";
import { launchChromium, watchedPage } from "../test/support/chromium.ts";

const PICTURE = "docs/images/dashboard.png";
const OBJECTIVES = ["kl", "db"];
const SEEDS = [0, 1, 2];

const given = process.argv[2];
const folder = given ?? mkdtempSync(join(tmpdir(), "gflownet-picture-"));
const names = OBJECTIVES.flatMap((objective) =>
  SEEDS.map((seed) => ({ objective, seed, name: `${objective}-${seed}` })),
);
if (!given) {
  for (const { objective, seed, name } of names) {
    const run = ["train", "hypergrid", "--stick", "0.25", "--objective", objective, "--seed", `${seed}`];
    const length = ["--iterations", "2000", "--evaluate-every", "100"];
    const out = ["--out", join(folder, "runs", name), "--quiet"];
    execFileSync(process.execPath, ["dist/cli/main.js", ...run, ...length, ...out], { stdio: "inherit" });
  }
}
const dashboard = await startDashboard({ folder, version: "", port: 0 });
const browser = await launchChromium();
try {
  const { page, problems } = await watchedPage(browser, { viewport: { width: 1180, height: 860 } });
  await page.goto(dashboard.url);
  await page.locator('[data-test="entry"]').first().waitFor();
  const entries = names.map(({ name }) => `e=${encodeURIComponent(`runs/${name}`)}`).join("&");
  await page.goto(`http://127.0.0.1:${dashboard.port}/#/compare?${entries}&metric=tv`);
  await page.locator('[data-test="group-row"]').first().waitFor();
  await page.locator('[data-test="chart"] canvas').first().waitFor();
  // The path of a temporary folder means nothing to readers.
  await page.getByText(folder, { exact: true }).evaluate((element) => {
    element.textContent = "study";
  });
  await page.screenshot({ path: PICTURE });
  if (problems.length > 0) throw new Error(problems.join("\n"));
} finally {
  await browser.close();
  await dashboard.close();
  if (!given) rmSync(folder, { recursive: true });
}
