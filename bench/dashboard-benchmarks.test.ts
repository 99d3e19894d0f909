import { describe, expect, test } from "vitest";
import { dashboardBrowser } from "./dashboard-browser.ts";
import { dashboardServer } from "./dashboard-server.ts";

describe.each([dashboardServer, dashboardBrowser])("$name", ({ full, quick, recordProblem, run }) => {
  test("records only complete results", () => {
    expect(recordProblem?.({ ...full, quick: false })).toBeUndefined();
    expect(recordProblem?.({ ...quick, quick: true })).toMatch(/omit --quick/);
    expect(recordProblem?.({ ...full, quick: false, rounds: 2 })).toMatch(/--rounds below its default/);
  });

  test("refuses a pattern that matches no part before it does anything", async () => {
    await expect(run({ ...full, quick: false, only: /nothing/ }, () => {})).rejects.toThrow(
      "matches no part",
    );
  });
});
