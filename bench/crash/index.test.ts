import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { trainValidRun } from "../fuzz/valid-files.ts";
import { compareFinished, eventsIn, inspect, type Reference, referenceOf } from "./check.ts";
import { crash } from "./index.ts";
import { operationAt } from "./trial.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-crash-"));
afterAll(() => rmSync(base, { recursive: true }));

describe("checks of the folder of a run", async () => {
  const { config, metrics, checkpoint, iteration } = await trainValidRun();
  const end = '{"kind":"end","iterations":5,"seconds":1}\n';
  let folder: string;
  let reference: Reference;
  let made = 0;
  const path = (name: string) => join(folder, name);
  /** All lines of the metrics, before and after the iteration of the checkpoint. */
  const lines = metrics.split("\n");
  const after = lines.findIndex((line) => line.includes(`"iteration":${iteration + 1},`));
  const until = `${lines.slice(0, after).join("\n")}\n`;

  beforeEach(async () => {
    folder = join(base, `runs-${++made}`, "run");
    await mkdir(folder, { recursive: true });
    await writeFile(path("config.json"), config);
    await writeFile(path("checkpoint.safetensors"), checkpoint);
    await writeFile(path("metrics.jsonl"), until + end);
    await writeFile(path("samples.csv"), "object\n");
    reference = await referenceOf(folder);
    await writeFile(path("metrics.jsonl"), until);
  });

  const problems = async () => (await inspect(folder, reference)).problems;

  test("find the stage and no problems in a valid folder", async () => {
    expect(await inspect(folder, reference)).toEqual({ stage: "at the end", iteration, problems: [] });
    appendFileSync(path("metrics.jsonl"), end);
    expect(await inspect(folder, reference)).toMatchObject({ stage: "ended", problems: [] });
    expect(await compareFinished(folder, reference)).toEqual([]);
    rmSync(path("checkpoint.safetensors"));
    writeFileSync(path("metrics.jsonl"), `${lines[0]}\n{"kind":"eval`);
    expect(await inspect(folder, reference)).toMatchObject({ stage: "no checkpoint", problems: [] });
    rmSync(folder, { recursive: true });
    expect(await inspect(folder, reference)).toMatchObject({ stage: "no config", problems: [] });
  });

  test("report unexpected files", async () => {
    writeFileSync(path("thesis.txt"), "");
    expect(await problems()).toEqual(["thesis.txt is not a file of a run"]);
    writeFileSync(path(".checkpoint.safetensors.01234567-89ab-cdef-0123-456789abcdef.tmp"), "");
    rmSync(path("thesis.txt"));
    expect(await problems()).toEqual([]);
    expect((await compareFinished(folder, reference))[0]).toMatch(/^\.checkpoint.* was not deleted$/);
  });

  test("report an incomplete config or checkpoint", async () => {
    truncateSync(path("checkpoint.safetensors"), 1000);
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^checkpoint\.safetensors: checkpoint\.safetensors is not a valid/),
    );
    truncateSync(path("config.json"), 100);
    expect(await problems()).toContainEqual(expect.stringMatching(/^config\.json: .*it is not JSON/));
  });

  test("report lost, changed, duplicated or damaged metrics", async () => {
    const text = readFileSync(path("metrics.jsonl"), "utf8");
    const all = text.split("\n");
    const write = (lines: readonly string[]) => writeFileSync(path("metrics.jsonl"), lines.join("\n"));
    write([...all.slice(0, -2), ""]);
    expect(await problems()).toEqual([
      expect.stringMatching(/^the checkpoint is at iteration 5, but the metrics/),
    ]);
    write(all.toSpliced(3, 1));
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^event 3 of the metrics is .* instead of/),
    );
    write(all.toSpliced(3, 0, all[3]));
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^event 4 of the metrics is .* instead of/),
    );
    write(all.toSpliced(3, 1, all[3].slice(0, 20)));
    expect(await problems()).toContainEqual(expect.stringMatching(/^metrics\.jsonl: line 4 is damaged/));
  });

  test("report an older checkpoint, different samples and a lost config", async () => {
    const before = { stage: "training", iteration: 10, problems: [] } as const;
    expect((await inspect(folder, reference, before)).problems).toEqual([
      "the checkpoint went back from iteration 10 to 5",
    ]);
    writeFileSync(path("samples.csv"), "other\n");
    expect(await problems()).toEqual(["samples.csv differs"]);
    rmSync(path("config.json"));
    const gone = (await inspect(folder, reference, before)).problems;
    expect(gone).toContain("config.json was lost");
    expect(gone).toContain("metrics.jsonl exists without a config.json");
  });
});

test("events are compared without start events, times and an incomplete last line", () => {
  const text = '{"kind":"start"}\n{"kind":"end","seconds":3,"metrics":{"tv":0.5,"seconds":3}}\n{"kind":"it';
  expect(eventsIn(text)).toEqual(['{"kind":"end","metrics":{"tv":0.5}}']);
  expect(() => eventsIn('{"kind":"start"}\nx\n')).toThrow(/line 2 is damaged/);
});

test("kills at disk operations cover all operations, and are more frequent at the start and at the end", () => {
  for (const all of [3, 40, 48, 50, 400]) {
    const changes = Array.from({ length: 5000 }, (_, i) => operationAt((i + 0.5) / 5000, all));
    expect(new Set(changes).size).toBe(all);
    expect([Math.min(...changes), Math.max(...changes)]).toEqual([1, all]);
  }
  const changes = Array.from({ length: 1000 }, (_, i) => operationAt((i + 0.5) / 1000, 400));
  expect(changes.filter((change) => change <= 24)).toHaveLength(250);
  expect(changes.filter((change) => change > 376)).toHaveLength(250);
});

test("only complete results are recorded", () => {
  expect(crash.recordProblem?.({ ...crash.full, quick: false })).toBeUndefined();
  expect(crash.recordProblem?.({ ...crash.quick, quick: true })).toMatch(/--record needs a complete result/);
});
