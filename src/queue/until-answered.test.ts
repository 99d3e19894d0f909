// Tests of requests that are repeated: temporary errors are, others are thrown, and a signal ends the waiting.

import { expect, test } from "vitest";
import { isTemporary, untilAnswered } from "./until-answered.ts";

const options = () => ({ signal: new AbortController().signal, warn: () => {}, broker: "redis://localhost" });
const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

test("a request is repeated until the broker answers", async () => {
  let calls = 0;
  const action = async () => {
    if (++calls < 3) throw refused();
    return calls;
  };
  expect(await untilAnswered(action, options())).toBe(3);
});

test("an error that another attempt would have, too, is thrown", async () => {
  const action = () => Promise.reject(new Error("WRONGTYPE Operation against a key"));
  await expect(untilAnswered(action, options())).rejects.toThrow("WRONGTYPE");
});

test("the signal ends a request that never answers", async () => {
  const stop = new AbortController();
  const waiting = untilAnswered(() => new Promise(() => {}), { ...options(), signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toThrow("aborted");
});

test("errors of a connection are temporary, also as a cause", () => {
  expect(isTemporary(refused())).toBe(true);
  expect(isTemporary(new Error("x", { cause: refused() }))).toBe(true);
  expect(isTemporary(Object.assign(new Error("terminating connection"), { code: "57P01" }))).toBe(true);
  expect(isTemporary(new Error("syntax error"))).toBe(false);
  expect(isTemporary("ECONNREFUSED")).toBe(false);
});
