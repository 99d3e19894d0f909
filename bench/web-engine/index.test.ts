import { expect, test } from "vitest";
import { NATIVE } from "../engine-rows.ts";
import { select } from "../plan.ts";
import { webEngine } from "./index.ts";
import { plan } from "./plan.ts";

const options = { seconds: 1, quick: false };

test("every contest has the native engine, and a row for each engine of the browser", () => {
  const { contests, rows } = plan({ ...options, hasWebGpu: true });
  expect(contests.map(({ contenders }) => contenders.filter(({ name }) => name === NATIVE).length)).toEqual([
    1, 1, 1,
  ]);
  const browsers = contests.flatMap(({ name, contenders }) =>
    contenders.filter((each) => each.name !== NATIVE).map((each) => `${name}, ${each.name}`),
  );
  expect(rows.map(({ setting }) => setting)).toEqual(browsers);
  expect(browsers).toHaveLength(12);
});

test("without an adapter there is no row of WebGPU, and the quick version has the default iteration only", () => {
  const { rows } = plan({ ...options, quick: true, hasWebGpu: false });
  expect(rows.map(({ setting }) => setting)).toEqual([
    "training-default, hidden 128, web, 1 thread",
    "training-default, hidden 128, web, 2 threads",
    "training-default, hidden 128, jax on WebAssembly",
  ]);
});

test("a chosen row needs its engine and the native one; its ratio is that of the browser to native", () => {
  const chosen = select(plan({ ...options, hasWebGpu: false }), /plain, hidden 64, web, 2/);
  const [{ contenders }] = chosen.contests;
  expect(contenders.map(({ name }) => name)).toEqual([NATIVE, "web, 2 threads"]);
  const rates: Record<string, number[]> = { [NATIVE]: [800, 1000], "web, 2 threads": [400, 300] };
  const row = chosen.rows[0].make((_, name) => rates[name].map((rate) => ({ rate, compileSeconds: 0.5 })));
  expect(row).toMatchObject({ bench: "web", ours: 350, rivalValue: 900, note: "ready after 0.50 s" });
  expect(row.ratio).toBeCloseTo(0.4);
});

test("a quick result is not recorded", () => {
  expect(webEngine.recordProblem?.({ ...webEngine.quick, quick: true })).toMatch(/omit --quick/);
  expect(webEngine.recordProblem?.({ ...webEngine.full, quick: false })).toBeUndefined();
});
