import { expect, test } from "vitest";
import { sequenceEnvironment } from "../environment/sequence.ts";
import type { Limit } from "./limit.ts";
import { rememberedLimit } from "./remembered-limit.ts";

test("a limit is computed again only for another environment, target or history", () => {
  let computed = 0;
  const compute = () => ({ kl: ++computed }) as Limit;
  const environment = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 });
  const plain = { environment, historyInputs: {} };
  const target = Float64Array.of(0.1, 0.2, 0.3, 0.4);
  expect(rememberedLimit(plain, target, compute).kl).toBe(1);
  expect(rememberedLimit(plain, target.slice(), compute).kl).toBe(1);
  target[0] = 0.5; // the caller may reuse its array
  expect(rememberedLimit(plain, target, compute).kl).toBe(2);
  expect(rememberedLimit({ environment, historyInputs: { policy: "both" } }, target, compute).kl).toBe(3);
  expect(rememberedLimit({ ...plain, environment: { ...environment } }, target, compute).kl).toBe(4);
});
