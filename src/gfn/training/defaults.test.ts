import { expect, test } from "vitest";
import { longSequenceEnvironment } from "../environment/sequence.ts";
import { callBudgetSettings } from "./call-budget-defaults.ts";
import { defaultSettings } from "./defaults.ts";
import type { SettingsInput } from "./settings.ts";

const strings = (length: number) => longSequenceEnvironment({ alphabet: "ACGT", length, stick: 0 });
const batch = (length: number, changes: SettingsInput) => defaultSettings(strings(length), changes).batch;

test("batches of a transformer over long strings are smaller, so that attention fits into memory", () => {
  expect([100, 181, 182, 256, 512].map((length) => batch(length, { network: "transformer" }))).toEqual([
    ...[128, 128, 64, 64, 16],
  ]);
  expect(batch(256, { network: "transformer", encoderHeads: 1, encoderLayers: 1 })).toBe(128);
  expect(batch(100_000, { network: "transformer" })).toBe(1);
  expect(batch(256, { encoder: "thought" })).toBe(64);
  expect(callBudgetSettings(strings(256), { network: "transformer" }).batch).toBe(64);
});

test("batches of other networks do not depend on the length, and a given batch is kept", () => {
  expect([batch(256, {}), batch(256, { network: "recurrent" })]).toEqual([128, 128]);
  expect(batch(256, { network: "transformer", batch: 100 })).toBe(100);
});

test("with a call budget, a recurrent network reads strings of more than 12 letters unless another is chosen", () => {
  const networkOf = (length: number, changes: SettingsInput = {}) => {
    const { network, encoderLayers } = callBudgetSettings(strings(length), changes);
    return [network, encoderLayers];
  };
  expect([networkOf(12), networkOf(13)]).toEqual([
    ["mlp", 2],
    ["recurrent", 1],
  ]);
  expect(networkOf(30, { encoderLayers: 3 })).toEqual(["recurrent", 3]);
  expect(networkOf(30, { network: "mlp" })).toEqual(["mlp", 2]);
  expect(networkOf(30, { encoder: "thought", objective: "kl-thought" })).toEqual(["mlp", 2]);
});
