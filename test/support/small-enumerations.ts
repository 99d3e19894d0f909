// Enumerations of small environments of different kinds, for tests of exact methods.

import { enumerateGrid } from "../../src/gfn/environment/hypergrid-states.ts";
import { enumerateSequences } from "../../src/gfn/environment/sequence-states.ts";

export const SMALL_ENUMERATIONS = {
  "fixed strings": enumerateSequences({ alphabetSize: 3, length: 4, variable: false }, 0.25),
  "variable strings": enumerateSequences({ alphabetSize: 2, length: 4, variable: true }, 0.25),
  "one letter": enumerateSequences({ alphabetSize: 1, length: 3, variable: true }, 0.5),
  "a grid": enumerateGrid({ dimensions: 2, side: 5 }, 0.25),
  "a cube without noise": enumerateGrid({ dimensions: 3, side: 3 }, 0),
};
