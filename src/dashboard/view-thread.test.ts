// Tests the thread of the views: one view at a time, a time limit, and a new thread after a failure.

import { afterEach, expect, test } from "vitest";
import { ViewThread } from "./view-thread.ts";

const worker = new URL("../../test/support/fake-view-worker.mjs", import.meta.url);
let thread: ViewThread;
const start = (timeLimit?: number) => {
  thread = new ViewThread({ worker, timeLimit });
};
const ask = (folder: string, options = {}) => thread.compute({ folder, view: "flow", options });
const notes = (answered: number, view = "a") => ({ data: { view, notes: [String(answered)] } });

afterEach(() => thread.close());

test("views are computed one after the other by one thread, and equal requests share one", async () => {
  start();
  const replies = await Promise.all([ask("a"), ask("b"), ask("a"), ask("a", { seed: 1 })]);
  expect(replies).toEqual([notes(1), notes(2, "b"), notes(1), notes(3)]);
  expect(await ask("a")).toEqual(notes(4));
});

test("this thread does other work while a view is computed", async () => {
  start();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await ask("a", { seed: 300 });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
});

test("a view that takes too long is given up, and the next one has a new thread", async () => {
  start(1500);
  const [slow, next] = await Promise.allSettled([ask("a", { series: "forever" }), ask("b")]);
  expect(slow).toMatchObject({
    status: "rejected",
    reason: { status: 504, message: "the view was not ready after 2 s and was given up" },
  });
  expect(next).toEqual({ status: "fulfilled", value: notes(1, "b") });
});

test("a thread that ends is replaced", async () => {
  start();
  await expect(ask("a", { series: "end" })).rejects.toThrow(
    "the thread of the views ended (code 3); try again",
  );
  expect(await ask("a")).toEqual(notes(1));
});

test("too many waiting views are refused", async () => {
  start();
  const waiting = Array.from({ length: 32 }, (_, seed) => ask("a", { seed }));
  expect(() => ask("b")).toThrow("32 views are being computed; try again in a moment");
  await Promise.all(waiting);
});
