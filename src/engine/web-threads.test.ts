import { afterEach, expect, test, vi } from "vitest";
import { mostWebThreads, webThreads } from "./web-threads.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

function page(isolated: boolean, processors?: number): void {
  vi.stubGlobal("crossOriginIsolated", isolated);
  vi.stubGlobal("navigator", { hardwareConcurrency: processors });
}

test("a page that is not isolated has one thread, whatever is set", () => {
  page(false, 16);
  expect([webThreads(), webThreads(1), webThreads(8)]).toEqual([1, 1, 1]);
});

test("an isolated page has the number that is set", () => {
  page(true, 16);
  expect([webThreads(1), webThreads(8)]).toEqual([1, 8]);
});

test("without a number, an isolated page has half of the processors, from one to four", () => {
  const threads = [undefined, 1, 2, 3, 4, 7, 8, 64].map((processors) => {
    page(true, processors);
    return webThreads();
  });
  expect(threads).toEqual([1, 1, 1, 1, 2, 3, 4, 4]);
});

test("memory that cannot be shared means one thread", () => {
  page(true, 8);
  vi.stubGlobal("SharedArrayBuffer", undefined);
  expect(webThreads(4)).toBe(1);
});

test("at most as many threads as processors can be set, but always four", () => {
  page(true, 2);
  expect(mostWebThreads()).toBe(4);
  page(true, 12);
  expect(mostWebThreads()).toBe(12);
});
