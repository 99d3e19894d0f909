import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importRun } from "../run/import-run.ts";
import { resumeRun, trainRun } from "../run/train-run.ts";
import { Host } from "./host.ts";
import type { Answer, Request } from "./messages.ts";
import { DEFAULT_SETTINGS, type PlaygroundSettings } from "./settings.ts";

const SMALL: PlaygroundSettings = { ...DEFAULT_SETTINGS, side: 4, width: 8, iterations: 60, stick: 0.5 };

/** A host whose answers can be waited for. */
function started(engine: () => Promise<"native"> = async () => "native") {
  const answers: Answer[] = [];
  let look = () => {};
  const host = new Host({
    engine,
    answer(answer) {
      answers.push(answer);
      look();
    },
  });
  const send = (...requests: readonly Request[]) => {
    for (const request of requests) host.receive(request);
  };
  const until = (condition: (answer: Answer) => boolean) =>
    new Promise<Answer>((done) => {
      look = () => {
        const found = answers.find(condition);
        if (found) done(found);
      };
      look();
    });
  const ended = (run: number) =>
    until((answer) => answer.kind === "state" && answer.run === run && answer.state === "finished");
  const losses = (run: number) =>
    answers.flatMap((answer) => (answer.kind === "progress" && answer.run === run ? answer.losses : []));
  return { answers, send, until, ended, losses };
}

const show = (settings: PlaygroundSettings): Request => ({ kind: "show", settings, path: [] });
const train = (run: number): Request => ({ kind: "train", run });

describe("the playground's host", () => {
  test("shows a problem with its exact limit before any engine is there", async () => {
    const host = started(() => Promise.reject(new Error("not asked for")));
    host.send(show({ ...SMALL, stick: 0 }));
    const answer = await host.until(({ kind }) => kind === "shown");
    if (answer.kind !== "shown") throw new Error("not shown");
    const { problem, picture, flow } = answer;
    expect(problem).toMatchObject({ objects: 16, states: 16, environment: "a grid of 4 × 4" });
    // Without noise the target itself can be reached.
    expect(problem.limit.tv).toBeLessThan(1e-9);
    expect(problem.uniform.tv).toBeGreaterThan(0.1);
    expect(picture.grid?.target.reduce((a, b) => a + b)).toBeCloseTo(1, 4);
    // The uniform policy stops at the start in one of three cases.
    expect(picture.grid?.learned[0]).toBeCloseTo(1 / 3, 5);
    expect(flow.children.map(({ learned }) => learned)).toEqual([0.3333333, 0.3333333, 0.3333333]);
    expect(picture.dynamics.truth).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("trains, with the same losses whether it is paused or not, and ends near the limit", async () => {
    const host = started();
    const settings = { ...SMALL, width: 64, stick: 0.25, iterations: 400 };
    host.send(show(settings), train(1));
    await host.ended(1);
    host.send(train(2));
    await host.until((answer) => answer.kind === "progress" && answer.run === 2);
    host.send({ kind: "pause" });
    await host.until((answer) => answer.kind === "state" && answer.run === 2 && answer.state === "paused");
    const before = host.answers.length;
    await new Promise((done) => setTimeout(done, 50));
    expect(host.answers.length).toBe(before);
    host.send({ kind: "continue" });
    await host.ended(2);
    expect(host.losses(1)).toHaveLength(400);
    expect(host.losses(2)).toEqual(host.losses(1));
    const evaluations = host.answers.flatMap((answer) =>
      answer.kind === "progress" && answer.run === 2 ? answer.evaluations : [],
    );
    expect(evaluations.map(({ iteration }) => iteration)).toEqual(
      Array.from({ length: 41 }, (_, i) => 10 * i),
    );
    const shown = host.answers.find(({ kind }) => kind === "shown");
    if (shown?.kind !== "shown") throw new Error("not shown");
    expect(evaluations.at(-1)!.kl).toBeLessThan(shown.problem.limit.kl + 0.01);
    expect(host.answers.findLast(({ kind }) => kind === "picture")).toMatchObject({ iteration: 400, run: 2 });
  });

  test("ends a training when another problem is shown", async () => {
    const host = started();
    host.send(show({ ...SMALL, iterations: 20_000 }), train(1));
    await host.until((answer) => answer.kind === "progress" && answer.iteration > 0);
    host.send(show({ ...SMALL, stick: 0.25 }), train(2));
    await host.ended(2);
    const last = host.answers.findLastIndex((answer) => "run" in answer && answer.run === 1);
    const next = host.answers.findLastIndex(({ kind }) => kind === "shown");
    expect(last).toBeLessThan(next);
  });

  test("follows a path of the flow, and begins at the start where the next problem has no such path", async () => {
    const host = started();
    host.send(show(SMALL), { kind: "flow", path: [0, 0, 1] });
    expect(await host.until(({ kind }) => kind === "flow")).toMatchObject({ flow: { state: "2,1" } });
    host.send({ kind: "show", settings: { ...SMALL, side: 6 }, path: [0, 0, 0, 0, 0, 0, 0] });
    await host.until((answer) => answer.kind === "shown" && answer.problem.settings.side === 6);
    expect(host.answers.at(-1)).toMatchObject({ flow: { path: [] } });
  });

  test.each(["hypergrid", "formula", "picture", "table"] as const)(
    "saves a training of %s before its end, and the command line finishes it with the same losses",
    async (problem) => {
      const host = started();
      host.send(show({ ...SMALL, problem, iterations: 400 }), train(1));
      await host.until((answer) => answer.kind === "progress" && answer.iteration >= 20);
      host.send({ kind: "pause" });
      await host.until((answer) => answer.kind === "state" && answer.state === "paused");
      host.send({ kind: "save" });
      const saved = await host.until(({ kind }) => kind === "saved");
      if (saved.kind !== "saved") throw new Error("not saved");
      host.send({ kind: "continue" });
      await host.ended(1);
      const folder = mkdtempSync(join(tmpdir(), "gflownet-playground-"));
      const [file, out] = [join(folder, "result.json"), join(folder, "run")];
      writeFileSync(file, saved.text);
      const { snapshot } = await importRun(file, out);
      expect(snapshot.iteration).toBe(saved.iteration);
      const losses: number[] = [];
      for await (const event of trainRun(await resumeRun(out))) {
        if (event.kind === "iteration") losses.push(event.loss);
      }
      expect(losses.length).toBe(400 - saved.iteration);
      expect(losses).toEqual(host.losses(1).slice(saved.iteration));
      rmSync(folder, { recursive: true });
    },
  );

  test("reports an engine that fails, and goes on showing problems", async () => {
    const host = started(() => Promise.reject(new Error("the engine has no wheels")));
    host.send(show(SMALL), train(1));
    expect(await host.until(({ kind }) => kind === "failed")).toEqual({
      kind: "failed",
      message: "the engine has no wheels",
    });
    host.send(show({ ...SMALL, stick: 0 }));
    await host.until((answer) => answer.kind === "shown" && answer.problem.settings.stick === 0);
  });
});
