// The program of a process in which onnxruntime-node cannot be imported. It prints the behaviour of the engine as JSON.
//
// src/engine/native.test.ts starts it with a resolve hook that rejects the package.

import { numpy as np } from "@jax-js/jax";
import { chooseEngine, compile, nativeProblem, spec } from "../../src/engine/index.ts";

const rejection = await chooseEngine("native").then(
  () => undefined,
  (error: Error) => ({ name: error.name, message: error.message }),
);
const program = await compile(({ x }) => ({ y: np.multiply(x, x) }), { x: spec([3]) });
const { y } = await program.run({ x: Float32Array.of(1, 2, 3) });

console.log(
  JSON.stringify({
    problem: await nativeProblem(),
    chosen: await chooseEngine(),
    rejection,
    engine: program.engine,
    y: [...y],
  }),
);
