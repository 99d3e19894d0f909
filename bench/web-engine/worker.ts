// Opens the built page in Chromium, lets it measure one task, and prints the result as one JSON object.
//
// Usage: worker.ts TASK, with TASK as JSON (see task.ts)

import { openPage, WITH_GPU } from "../../test/support/chromium.ts";
import { PAGE } from "./built-page.ts";
import { ADAPTER, type PageTask } from "./task.ts";

/** With a zygote, the processor time of pages would not be counted as that of this process, but as that of other programs. */
const COUNTED = "--no-zygote";

const task = JSON.parse(process.argv[2]) as PageTask | typeof ADAPTER;
const options = { ...PAGE, isolated: task !== ADAPTER && task.threads > 1, flags: [...WITH_GPU, COUNTED] };
const { result, problems } = await openPage(options, async (page) =>
  task === ADAPTER
    ? { webgpu: Number(await page.evaluate(() => globalThis.usesWebGpu())) }
    : page.evaluate((given) => globalThis.measure(given), task),
);
if (problems.length > 0) throw new Error(`the page reports: ${problems.join("; ")}`);
console.log(JSON.stringify(result));
