import { afterEach, expect, test, vi } from "vitest";
import { formatBytes, memoryBudget, memoryExcess } from "./memory-budget.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("the budget is below what the platform reports, and unlimited if it reports nothing", () => {
  vi.spyOn(process, "availableMemory").mockReturnValue(1000);
  expect(memoryBudget().memory).toBe(850);
  expect(memoryBudget().heap).toBeGreaterThan(0);
  expect(memoryBudget().heap).toBeLessThan(2 ** 43);
  vi.spyOn(process, "availableMemory").mockReturnValue(undefined as unknown as number);
  expect(memoryBudget().memory).toBe(Number.POSITIVE_INFINITY);
});

test("needs exceed a budget together, and objects also the heap alone", () => {
  const needs = [
    { what: "arrays", bytes: 60 },
    { what: "objects", bytes: 30, heap: true },
    { what: "texts", bytes: 15, heap: true },
  ] as const;
  expect(memoryExcess(needs, { memory: 105, heap: 45 })).toBeNull();
  expect(memoryExcess(needs, { memory: 104, heap: 45 })).toEqual({
    ...{ bytes: 105, available: 104, largest: needs[0] },
  });
  expect(memoryExcess(needs, { memory: 105, heap: 44 })).toEqual({
    ...{ bytes: 45, available: 44, largest: needs[1] },
  });
  expect(memoryExcess([], { memory: 0, heap: 0 })).toBeNull();
});

test.each([
  [300 * 2 ** 20, "300 MiB"],
  [1.5 * 2 ** 30, "1.5 GiB"],
  [1234 * 2 ** 40, "1.21 PiB"],
  [123456 * 2 ** 50, "123,000 PiB"],
])("%d bytes are written with a unit and three digits", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
