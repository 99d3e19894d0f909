// Someone who knows the broker's password adds jobs of his own: the worker runs none of his programs, reads none of its files
// for him, says why in one sentence each, and keeps working. What he sends to a command that waits is not taken for a result.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBroker, type TestBroker } from "../../test/support/brokers.ts";
import {
  buildCommandLine,
  type CommandLine,
  jsonLines,
  type Started,
} from "../../test/support/command-line.ts";
import { eachStore, endsOf, eventsOf, TestQueue } from "../../test/support/queue-parts.ts";
import { comparisonFromInput } from "../compare/comparison-input.ts";
import { experimentUnit } from "../compare/experiment-unit.ts";
import { jsonText } from "../executor/json-text.ts";
import type { JsonObject, Unit } from "../executor/unit.ts";
import type { UnitQueue } from "../queue/broker.ts";
import { payloadOf } from "../queue/payload.ts";
import { problemQueue, sharedQueue } from "../queue/queue-executor.ts";
import { waitUnit } from "../units/wait-unit.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const KEY = "the key of all honest workers";

eachStore((store) => {
  let [server, cli, queue]: [TestBroker?, CommandLine?, TestQueue?] = [];
  let worker: Started;
  let raw: UnitQueue;
  let experiment: Unit;
  const at = (...names: string[]) => cli!.at(...names);

  beforeAll(async () => {
    cli = buildCommandLine();
    server = await startBroker(store);
    queue = await TestQueue.open(server, "open", KEY);
    raw = queue.raw(sharedQueue(version));
    mkdirSync(at("data"));
    const program = `node -e "require('fs').writeFileSync('${at("ran")}', '')"`;
    writeFileSync(
      at("data", "problem.yaml"),
      `alphabet: DNA\nlength: 4\noracle:\n  program: ${JSON.stringify(program)}\n`,
    );
    writeFileSync(at("secret.csv"), "string,score\nA,1\n");
    const comparison = await comparisonFromInput(
      { task: "hypergrid", side: 3, batch: 8 },
      { calls: 64, methods: ["random"] },
    );
    experiment = experimentUnit(comparison, { method: "random", stick: 0.25, seed: 0 });
    const flags = [
      "--data",
      at("data"),
      "--slots",
      "1",
      "--spool",
      at("spool"),
      "--lock-seconds",
      "5",
      "--json",
    ];
    worker = cli.start("worker", "--queue", server.queueFile("open", { key: KEY }), ...flags);
    await worker.printed(/"ready"/);
  });
  afterAll(async () => {
    worker?.child.kill("SIGKILL");
    await worker?.ended;
    await queue?.close();
    await server?.remove();
    cli?.remove();
  });

  /** Why the worker refused a job. */
  async function refusal(data: unknown, id: string): Promise<string> {
    await raw.add("unit", data as never, { jobId: id });
    const reason = async () => (await raw.getJob(id))?.failedReason;
    await expect.poll(reason, { timeout: 20_000, interval: 50 }).toBeTruthy();
    return (await reason()) as string;
  }
  const refused = (unit: Unit) => {
    const { id, text } = payloadOf(unit, version);
    return refusal({ payload: text }, id);
  };
  const changed = (change: JsonObject, config: JsonObject = {}): Unit => ({
    ...experiment,
    settings: {
      ...experiment.settings,
      ...change,
      config: { ...(experiment.settings.config as JsonObject), ...config },
    },
  });

  test("no program runs, not even one of a problem file in the folder of --data", async () => {
    const problem = sha256(readFileSync(at("data", "problem.yaml"), "utf8"));
    const batch = { kind: "oracle-batch", settings: { strings: ["ACGT"], copy: 0 } };
    expect(await refused({ ...batch, inputs: { problem } })).toMatch(
      /may not run the program of the problem file/,
    );
    expect(await refused(batch)).toBe("the unit has no input problem");
    expect(await refused({ ...batch, inputs: { table: problem } })).toBe("the unit has no input problem");
    expect(existsSync(at("ran"))).toBe(false);
  });

  test("no file is read that a unit names by a path, or that is outside the folder of --data", async () => {
    const secret = sha256(readFileSync(at("secret.csv"), "utf8"));
    expect(await refused({ ...experiment, inputs: { table: secret } })).toBe(
      `this worker has no file with the SHA-256 ${secret} for the input "table"; put it into the folder of --data`,
    );
    const path = at("secret.csv");
    const reasons = [];
    for (const name of [
      "table",
      "module",
      "config",
      "file",
      "program",
      "out",
      "resume",
      "__proto__",
      "constructor",
    ]) {
      reasons.push(await refused(changed({}, JSON.parse(`{"${name}":${JSON.stringify(path)}}`))));
    }
    for (const reason of reasons) {
      expect(reason).toMatch(
        /^the settings of the unit are wrong: config\.\w+ (is not a setting of an experiment|must be )/,
      );
      expect(reason).not.toContain("score");
    }
    expect(await refused(changed({ module: path }))).toBe(
      'the settings of the unit are wrong: there is no setting "module"',
    );
    expect(await refused(changed({ method: "random; touch ran" }))).toMatch(
      /^the settings of the unit are wrong: /,
    );
  });

  test("keys that would change prototypes are refused", async () => {
    const text = jsonText({ format: "gflownet-unit", version, kind: "wait", settings: {}, inputs: {} });
    const evil = text.replace('"settings":{}', '"settings":{"name":"a","time":0,"__proto__":{"time":1}}');
    expect(await refusal({ payload: evil }, sha256(evil))).toMatch(/there is no setting "__proto__"/);
    for (const kind of ["__proto__", "constructor", "toString", "shell"]) {
      expect(await refused({ kind, settings: {} })).toBe(`there is no kind of unit "${kind}"`);
    }
  });

  test("poisoned jobs are refused: form, hash, size, version, and ids that look like paths", async () => {
    const { id, text } = payloadOf(waitUnit("a", 0), version);
    expect(await refusal(null, "a-null")).toBe("the unit must be a text");
    expect(await refusal({ payload: { kind: "wait" } }, "b-object")).toBe("the unit must be a text");
    expect(await refusal({ payload: text }, "..|..|evil")).toMatch(
      /must have the SHA-256 of its text as its id/,
    );
    expect(await refusal({ payload: text.replace('"a"', '"b"') }, id)).toMatch(
      /must have the SHA-256 of its text/,
    );
    const large = JSON.stringify({ a: "x".repeat(100_000) });
    expect(await refusal({ payload: large }, sha256(large))).toMatch(/at most 65536 characters, got 100008/);
    const old = payloadOf(waitUnit("a", 0), "0.0.1");
    expect(await refusal({ payload: old.text }, old.id)).toMatch(
      /^the unit is of version "0\.0\.1", and this worker of /,
    );
    const slow = waitUnit("a", 1e9);
    expect(await refused(slow)).toMatch(/`time` must be a number from 0 to 3600/);
  });

  test("a checkpoint of another one is ignored if there is a key", async () => {
    const { id, text } = payloadOf(experiment, version);
    const checkpoint = {
      bytes: "Z2FyYmFnZQ==",
      records: '[{"forged":true}]',
      instructions: "none",
      signature: "",
    };
    await raw.add("unit", { payload: text, checkpoint } as never, { jobId: id });
    const [records] = endsOf(await eventsOf(queue!.executor(version), [experiment])) as [JsonObject[]];
    expect(records.length).toBeGreaterThan(1);
    expect(records[0].forged).toBeUndefined();
  });

  test("with a key, a forged result is not taken, and without one it has to have the right form", async () => {
    const provenance = { version, engine: null, threads: 1, instructions: "none" };
    const forged = {
      text: JSON.stringify({ records: [{ name: "forged" }], provenance }),
      signature: "0".repeat(64),
    };
    // A queue without a worker, so that the only results are forged ones.
    const results = async (name: string, key: string | undefined, returned: unknown) => {
      const own = await TestQueue.open(server!, name, key);
      const unit = waitUnit(`${JSON.stringify(returned)}`, 0);
      const thief = own.broker.worker(sharedQueue(version), async () => returned, { concurrency: 1 });
      thief.on("error", () => {});
      own.alsoClose({ close: () => thief.close(true) });
      try {
        return endsOf(await eventsOf(own.executor(version), [unit]))[0];
      } finally {
        await own.close();
      }
    };
    const unsigned = "the result is not signed with the key of this queue; workers need the same key";
    expect(await results("forged_key", KEY, forged)).toBe(unsigned);
    expect(await results("forged_key", KEY, { ...forged, signature: "" })).toBe(unsigned);
    expect(await results("forged_open", undefined, { text: "{}", signature: "" })).toMatch(
      /^the result has no records/,
    );
    expect(await results("forged_open", undefined, 5)).toBe("the result has an unknown form");
    // On loopback, who knows the password is trusted, as the documents say.
    expect(await results("forged_open", undefined, forged)).toEqual([{ name: "forged" }]);
  });

  test("strange reports of progress do not end the command that waits", async () => {
    const unit = waitUnit("progress", 1);
    const { id } = payloadOf(unit, version);
    const running = eventsOf(queue!.executor(version), [unit]);
    await expect.poll(() => raw.getJob(id), { timeout: 10_000 }).toBeTruthy();
    const job = (await raw.getJob(id)) as { updateProgress(report: unknown): Promise<void> };
    for (const report of [5, "x", null, {}, { kind: "result" }, { kind: "progress", progress: "x" }]) {
      await job.updateProgress(report);
    }
    const events = await running;
    expect(endsOf(events)).toEqual([[{ name: "progress" }]]);
    expect(events.filter(({ kind }) => kind === "progress")).toEqual([]);
  });

  test("after all this the same worker runs, and its processes know no secret", async () => {
    const units = [waitUnit("still here", 0)];
    expect(endsOf(await eventsOf(queue!.executor(version), units))).toEqual([[{ name: "still here" }]]);
    expect(worker.child.exitCode).toBeNull();
    expect(existsSync(at("ran"))).toBe(false);
  });

  test.runIf(process.platform === "linux")(
    "the environment of a unit has no address, password or key",
    async () => {
      const { pid } = worker.child;
      const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
      const names = readFileSync(`/proc/${child}/environ`, "utf8")
        .split("\0")
        .map((line) => line.split("=")[0]);
      expect(names).toContain("PATH");
      expect(names.filter((name) => /QUEUE|REDIS|PG|TOKEN|KEY|PASS|GFLOWNET/i.test(name))).toEqual([]);
    },
  );

  test("a worker for a problem runs its program for that problem only, and not if the file has changed", async () => {
    const file = at("allowed.yaml");
    const score = join(process.cwd(), "test/support/oracle-program.mjs");
    const program = `node ${score} plain-lines good`;
    writeFileSync(
      file,
      `alphabet: DNA\nlength: 4\noracle:\n  program: ${JSON.stringify(program)}\n  protocol: lines\n`,
    );
    const hash = sha256(readFileSync(file, "utf8"));
    const start = ["worker", "--queue", server!.queueFile("open", { key: KEY }), "--problem", file];
    expect(cli!.alone(...start)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^gflownet: --problem lets this worker run .*; confirm it with --allow-exec\n$/,
      ),
    });
    const flags = ["--allow-exec", "--slots", "1", "--spool", at("spool"), "--lock-seconds", "5", "--json"];
    const allowed = cli!.start(...start, ...flags);
    try {
      await allowed.printed(/"ready"/);
      raw = queue!.raw(problemQueue(hash));
      const batch = {
        kind: "oracle-batch",
        settings: { strings: ["AACG"], copy: 0 },
        inputs: { problem: hash },
      };
      const [[record]] = endsOf(await eventsOf(queue!.executor(version), [batch])) as [[JsonObject]];
      expect(record.answers).toEqual({ AACG: { score: 2 } });
      const other = {
        ...batch,
        inputs: { problem: sha256(readFileSync(at("data", "problem.yaml"), "utf8")) },
      };
      expect(await refused(other)).toMatch(/may not run the program of the problem file/);
      writeFileSync(file, readFileSync(at("data", "problem.yaml"), "utf8"));
      expect(await refused({ ...batch, settings: { strings: ["ACGT"], copy: 0 } })).toBe(
        "the problem file of this worker has changed since it was started; start it again",
      );
      expect(existsSync(at("ran"))).toBe(false);
      expect(jsonLines((await stopped(allowed)).stdout).length).toBeGreaterThan(2);
    } finally {
      allowed.child.kill("SIGKILL");
    }
  });
});

function stopped(worker: Started) {
  worker.child.kill("SIGTERM");
  return worker.ended;
}
