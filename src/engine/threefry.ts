// Random bits as a graph of bit operations, for ONNX and the interpreter. jax-js has a built-in operation for them.

import { sizeOf } from "./dtype.ts";
import { elementwiseBuilder } from "./elementwise-builder.ts";
import { type Graph, GraphBuilder, type NodeOf } from "./ir.ts";

/**
 * A randomBits node as a graph of simpler operations, with inputs `key0` and `key1` and output `bits`: Threefry-2x32
 * with 20 rounds (Salmon et al. 2011).
 */
export function threefryGraph(node: NodeOf<"randomBits">): Graph {
  const { shape, mode } = node.attributes;
  const builder = new GraphBuilder();
  const { add, bits, shift } = elementwiseBuilder(builder, "uint32");
  const [key0, key1] = node.inputs.map((input) => builder.value(input));
  const generated = shape.slice(key0.shape.length);
  const aligned = [...key0.shape, ...generated.map(() => 1)];
  const [k0, k1] = [key0, key1].map(
    (key) => builder.add("reshape", [key], { shape: aligned }, [{ shape: aligned, dtype: "uint32" }])[0],
  );
  const counter = Uint32Array.from({ length: sizeOf(generated) }, (_, i) => i);
  const c1 = builder.add("constant", [], { data: counter }, [{ shape: generated, dtype: "uint32" }])[0];
  const keys = [k0, k1, bits("xor", bits("xor", k0, k1), 0x1bd11bda)];
  const rotations = [
    [13, 15, 26, 6],
    [17, 29, 16, 24],
  ];
  let x0 = add(k0, 0);
  let x1 = add(c1, k1);
  for (let round = 0; round < 5; round++) {
    for (const r of rotations[round % 2]) {
      x0 = add(x0, x1);
      x1 = bits("xor", bits("or", shift("shl", x1, r), shift("shr", x1, 32 - r)), x0);
    }
    x0 = add(x0, keys[(round + 1) % 3]);
    x1 = add(add(x1, keys[(round + 2) % 3]), round + 1);
  }
  const result = mode === "xor" ? bits("xor", x0, x1) : mode === 0 ? x0 : x1;
  return {
    name: "threefry",
    inputs: [
      { name: "key0", value: key0 },
      { name: "key1", value: key1 },
    ],
    nodes: builder.nodes,
    outputs: [{ name: "bits", value: result }],
  };
}
