// A process in which onnxruntime-node cannot be found: prints, as JSON, what the engine makes of that.
//
// Started by src/engine/native.test.ts with a resolve hook that refuses the package.

import { numpy as np } from "@jax-js/jax";
import { chooseEngine, compile, nativeProblem, spec } from "../../src/engine/index.ts";

const refused = await chooseEngine("native").then(
  () => undefined,
  (error: Error) => ({ name: error.name, message: error.message }),
);
const program = await compile(({ x }) => ({ y: np.multiply(x, x) }), { x: spec([3]) });
const { y } = await program.run({ x: Float32Array.of(1, 2, 3) });

console.log(
  JSON.stringify({
    problem: await nativeProblem(),
    chosen: await chooseEngine(),
    refused,
    engine: program.engine,
    y: [...y],
  }),
);
