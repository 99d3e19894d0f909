// Model files: safetensors and ONNX.

import { expect, test } from "vitest";
import { encodedWindow } from "../../../test/support/encoded-window.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { randomForecastModel } from "../../../test/support/random-forecast-model.ts";
import { tinySettings } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { loadOnnx } from "../../engine/onnx/index.ts";
import { decodeSafetensors, encodeSafetensors } from "../../formats/safetensors.ts";
import { fittedForecaster } from "./forecaster.ts";
import { decodeForecastModel, encodeForecastModel } from "./model-file.ts";
import { exportForecastModel } from "./onnx-export.ts";

const panel = syntheticPanel({ rows: 90, series: 2, covariates: true });
const model = randomForecastModel(panel, { ...tinySettings, pointLoss: "huber", pointWeight: 0.1 });
const bytes = encodeForecastModel(model);

test("a decoded model equals the encoded one and gives bit-identical forecasts", async () => {
  const decoded = decodeForecastModel(bytes, "model");
  expect(decoded).toEqual(model);
  const [before, after] = [fittedForecaster(model), fittedForecaster(decoded)];
  const request = { horizon: 3, quantiles: [0.1, 0.5, 0.9] };
  expect(await after.predict(panel, request)).toEqual(await before.predict(panel, request));
  await before.dispose();
  await after.dispose();
});

test("damaged files and other files are rejected", () => {
  const damaged = bytes.slice();
  damaged[damaged.length - 9] ^= 1;
  expect(() => decodeForecastModel(damaged, "model")).toThrow(
    "model is a damaged forecasting model: its checksum is wrong.",
  );
  expect(() => decodeForecastModel(bytes.slice(0, 100), "model")).toThrow(/^model .*safetensors/);
  const truncated = encodeForecastModel({ ...model, parameters: model.parameters.slice(1) });
  expect(() => decodeForecastModel(truncated, "model")).toThrow(
    /its settings need \d+ parameters, got \d+\.$/,
  );
  const infinite = encodeForecastModel({ ...model, parameters: model.parameters.map(() => Infinity) });
  expect(() => decodeForecastModel(infinite, "model")).toThrow("a parameter is not finite");
  const invalid = encodeForecastModel({ ...model, settings: { ...model.settings, bins: 0 } });
  expect(() => decodeForecastModel(invalid, "model")).toThrow(
    /^model is a damaged forecasting model: .*bins: must be a whole number/,
  );
});

test("files of another version are rejected", () => {
  const { tensors, metadata } = decodeSafetensors(bytes, "model");
  const old = encodeSafetensors(tensors, { ...metadata, version: "3" });
  expect(() => decodeForecastModel(old, "model")).toThrow(
    "model must be a forecasting model of version 4, got version 3; fit the model again with this version of gflownet.",
  );
});

test("the ONNX files compute the same probabilities", async () => {
  const { network, arrays, inputs } = encodedWindow(model, panel.series);
  const tokens = Int32Array.of(1, 4, -1, 9, 0, -1);
  const files = exportForecastModel(model, { rows: 2 });
  const [encoder, paths] = [await loadOnnx(files.encoder, "encoder"), await loadOnnx(files.paths, "paths")];
  const { embedding, future } = await encoder.run(arrays);
  const { probabilities } = await paths.run({ embedding, future, tokens });
  await encoder.dispose();
  await paths.dispose();
  const expected = evaluate(
    ({ flat, tokens, ...windows }) => {
      const params = network.layout.split(flat);
      return { probabilities: network.pathProbabilities(params, network.encode(params, windows), tokens) };
    },
    { ...inputs, tokens: { shape: [2, 3], dtype: "int32", data: tokens } },
  ).probabilities;
  probabilities.forEach((p, i) => {
    expect(Math.abs(p - expected[i])).toBeLessThan(1e-5);
  });
  expect(JSON.parse(encoder.description.metadata.edges)).toEqual([...model.bins.edges]);
});
