// Table of lowerings: how each graph operation becomes ONNX operators. A new operation needs an entry here.

import type { OpName } from "../ir.ts";
import { threefryGraph } from "../threefry.ts";
import {
  binary,
  bitCombine,
  bitShift,
  cast,
  compare,
  idiv,
  mapTensor,
  rounding,
  unary,
  where,
} from "./elementwise.ts";
import { gather, scatter } from "./indexing.ts";
import { type LoweringContext, lowerNodes } from "./lower.ts";
import { addBias, dot } from "./matrix-product.ts";
import { ELEMENT_TYPES } from "./model.ts";
import { concatenate, flip, pad, slice, split } from "./movement.ts";
import { argsort, reduce, reduceView, sort } from "./reduction.ts";
import { broadcastView, reshapeView, transposeView, type View, viewOf } from "./views.ts";

type Lowerings = { readonly [K in OpName]: (lowered: LoweringContext<K>) => readonly View[] };

export const lowerings: Lowerings = {
  constant: ({ emitter, node }) => [
    viewOf(emitter.constant(node.outputs[0].dtype, node.outputs[0].shape, node.attributes.data)),
  ],

  neg: unary("Neg"),
  reciprocal: unary("Reciprocal"),
  floor: rounding("Floor"),
  ceil: rounding("Ceil"),
  sin: unary("Sin"),
  cos: unary("Cos"),
  asin: unary("Asin"),
  atan: unary("Atan"),
  exp: unary("Exp"),
  log: unary("Log"),
  erf: unary("Erf"),
  sqrt: unary("Sqrt"),

  add: (lowered) => {
    const { emitter, inputs, usedOnce } = lowered;
    for (const i of [0, 1]) {
      const sum = usedOnce(i) ? addBias(emitter, inputs[i], inputs[1 - i]) : undefined;
      if (sum) return [sum];
    }
    return binary("Add", "Or")(lowered);
  },
  sub: binary("Sub"),
  mul: binary("Mul", "And"),
  div: binary("Div"),
  idiv,
  mod: binary("Mod"),
  min: binary("Min", "And"),
  max: (lowered) => {
    const { emitter, inputs, constant } = lowered;
    // max(0, x) as Relu, which ONNX Runtime fuses with a preceding Gemm. In WebAssembly it then writes over its input one number
    // at a time, ten times slower than Max, which has SIMD because its output is another buffer.
    for (const i of emitter.inWebAssembly ? [] : [0, 1]) {
      const isRelu = inputs[i].base.type === "float32" && constant(i) === 0 && inputs[i].shape.length === 0;
      if (isRelu) return unary("Relu")({ ...lowered, inputs: [inputs[1 - i]] });
    }
    return binary("Max", "Or")(lowered);
  },
  bitCombine,
  bitShift,
  compare,
  where,

  cast: ({ emitter, node, inputs: [x] }) => [cast(emitter, x, node.attributes.dtype)],
  bitcast: ({ emitter, node, inputs: [x] }) => {
    const { dtype } = node.attributes;
    if (x.base.type === dtype) return [x];
    return [
      mapTensor(x, (tensor) =>
        emitter.node("BitCast", [tensor], { to: ELEMENT_TYPES[dtype] }, dtype, tensor.shape),
      ),
    ];
  },

  reduce,
  dot: ({ emitter, inputs: [x, y] }) => [
    dot(emitter, x, y, (view, axis) => reduceView(emitter, view, "sum", [axis])),
  ],

  broadcast: ({ node, inputs: [x] }) => [broadcastView(x, node.attributes.shape, node.attributes.axes)],
  reshape: ({ emitter, node, inputs: [x] }) => [reshapeView(emitter, x, node.attributes.shape)],
  transpose: ({ node, inputs: [x] }) => [transposeView(x, node.attributes.permutation)],
  flip,
  slice,
  pad,
  concatenate,
  split,
  gather,
  scatter,
  randomBits: ({ emitter, node, inputs }) => {
    const graph = threefryGraph(node);
    const bits = lowerNodes(emitter, graph, inputs).get(graph.outputs[0].value)!;
    // The result of the subgraph may have broadcast axes; the requested shape includes them.
    return [{ ...bits, shape: node.attributes.shape }];
  },
  sort,
  argsort,
};
