// Tests of exported models: ONNX Runtime runs them, and damaged files and files of other programs are rejected with a
// clear message.

import { numpy as np } from "@jax-js/jax";
import { compile, ModelFileError, RandomStream, spec } from "gflownet/engine";
import { describeModel, inspectOnnx, loadOnnx, toOnnx } from "gflownet/engine/onnx";
import { layout, mlp, softmax } from "gflownet/nn";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";

const network = mlp({ inputs: 6, hidden: [16, 16], outputs: 4 });
const parameters = layout(network.params);
const weights = parameters.init(RandomStream.fromSeed(3));
const example = { x: spec([5, 6]), allowed: spec([4], "bool") };

function classify({ x, allowed }: { readonly x: np.Array; readonly allowed: np.Array }) {
  const logits = network.apply(parameters.split(np.array(weights)), x); // [5, 4]
  const masked = np.where(allowed, logits, -1e9); // [5, 4]
  return { probabilities: softmax(masked), best: np.argmax(masked, 1) };
}

const bytes = toOnnx(classify, example, {
  name: "classify",
  description: "Probabilities of four classes.",
  ports: { x: "Features, one row each.", best: "The most probable class." },
  metadata: { classes: "abcd" },
});
const x = RandomStream.fromSeed(4).fillUniform(new Float32Array(30));
const allowed = Uint8Array.of(1, 0, 1, 1);

describe("an exported model", () => {
  test("gives the results of the program in plain ONNX Runtime", async () => {
    const session = await InferenceSession.create(bytes);
    const outputs = await session.run({
      x: new Tensor("float32", x, [5, 6]),
      allowed: new Tensor("bool", allowed, [4]),
    });
    const program = await compile(classify, example, { engine: "native" });
    const expected = await program.run({ x, allowed });
    expect(Array.from(outputs.probabilities.data as Float32Array)).toEqual(
      Array.from(expected.probabilities),
    );
    expect(Array.from(outputs.best.data as Int32Array)).toEqual(Array.from(expected.best));
    expect(Array.from(expected.probabilities).filter((_, i) => i % 4 === 1)).toEqual([0, 0, 0, 0, 0]);
    await session.release();
    await program.dispose();
  });

  test("can be loaded again, with the same results and checked inputs", async () => {
    const model = await loadOnnx(bytes, "classify.onnx");
    const { probabilities } = await model.run({ x, allowed });
    const rows = [0, 1, 2, 3, 4].map((row) => Array.from(probabilities.slice(4 * row, 4 * row + 4)));
    const sums = rows.map((row) => row.reduce((a, b) => a + b));
    for (const sum of sums) expect(sum).toBeCloseTo(1, 5);
    await expect(model.run({ x })).rejects.toThrow("classify: input allowed is missing");
    await expect(model.run({ x, allowed, y: x })).rejects.toThrow(
      "classify: y is not an input; inputs are x, allowed",
    );
    const first = model.run({ x, allowed });
    await expect(model.run({ x, allowed })).rejects.toThrow(
      "used again before the previous call was awaited",
    );
    await first;
    await model.dispose();
    await expect(model.run({ x, allowed })).rejects.toThrow("used after it was disposed of");
  });

  test("describes its operator set, names, shapes and metadata", () => {
    const model = inspectOnnx(bytes, "classify.onnx");
    expect(model).toMatchObject({
      name: "classify",
      producer: "gflownet",
      opset: 18,
      metadata: { classes: "abcd" },
    });
    expect(describeModel(model)).toMatchInlineSnapshot(`
      "classify: Probabilities of four classes.
      opset 18, standard operators only
      inputs
        x: Features, one row each. float32[5, 6]
        allowed: bool[4]
      outputs
        probabilities: float32[5, 4]
        best: The most probable class. int32[5]
      facts
        classes: abcd"
    `);
  });
});

describe("a file that is not a complete model of this library", () => {
  test("is rejected at any length", async () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => inspectOnnx(bytes.subarray(0, length), "cut.onnx")).toThrow(
        /^cut.onnx is not a complete .onnx file/,
      );
    }
    await expect(loadOnnx(bytes.subarray(0, 500), "cut.onnx")).rejects.toThrow(ModelFileError);
    expect(() => inspectOnnx(bytes.subarray(0, 500), "cut.onnx")).toThrow(
      "cut.onnx is not a complete .onnx file: it ends in the middle of a field; export the model again.",
    );
  });

  test("is rejected if it is text, empty, or from another program", () => {
    const text = new TextEncoder().encode("once upon a time there was a model");
    expect(() => inspectOnnx(text, "story.txt")).toThrow(ModelFileError);
    expect(() => inspectOnnx(new Uint8Array(), "empty.onnx")).toThrow("it holds no ONNX graph");
    const foreign = Uint8Array.from(bytes);
    foreign.set(
      new TextEncoder().encode("pytorchx"),
      new TextDecoder("latin1").decode(bytes).indexOf("gflownet"),
    );
    expect(() => inspectOnnx(foreign, "their.onnx")).toThrow(
      'their.onnx was written by "pytorchx"; only models exported by gflownet can be used here.',
    );
  });

  test("is rejected or loads, but never crashes, if a byte was changed", async () => {
    const random = RandomStream.fromSeed(5);
    for (let trial = 0; trial < 60; trial++) {
      const damaged = Uint8Array.from(bytes);
      damaged[random.integer(200)] ^= 1 << random.integer(8);
      const outcome = await loadOnnx(damaged, "damaged.onnx").then(
        (model) => model.dispose().then(() => "loaded"),
        (error: Error) => error.message,
      );
      expect(outcome).toMatch(/^(loaded$|damaged\.onnx |[^\n]*: ONNX Runtime rejected the program: )/);
    }
  });
});
