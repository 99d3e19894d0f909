// Draws the picture of the playground in the README: npx tsx scripts/playground-picture.ts
//
// It needs Chromium and the built page (npm run build). It trains a plain and a stochastic objective one after the other, in the
// page, which takes about half a minute.

import { startPlayground } from "../src/playground/server.ts";
import { launchChromium, watchedPage } from "../test/support/chromium.ts";

const PICTURE = "docs/images/playground.png";
const OBJECTIVES = ["db", "kl"];

const server = await startPlayground({ port: 0 });
const browser = await launchChromium();
try {
  const { page, problems } = await watchedPage(browser, { viewport: { width: 1180, height: 1060 } });
  await page.goto(
    `${server.url}#/?problem=picture&stick=0.4&side=12&iterations=1000&objective=${OBJECTIVES[0]}`,
  );
  for (const objective of OBJECTIVES) {
    await page.locator('[data-test="objective"]').selectOption(objective);
    await page.locator('[data-test="train"]').click();
    await page.locator('[data-state="finished"]').waitFor({ timeout: 120_000 });
  }
  // A control that was used may have scrolled the page.
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: PICTURE });
  if (problems.length > 0) throw new Error(problems.join("\n"));
} finally {
  await browser.close();
  await server.close();
}
