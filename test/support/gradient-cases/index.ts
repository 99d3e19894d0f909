// Gradient cases of every operation: TypeScript refuses this table when one is missing.

import type { OpName } from "../../../src/engine/ir.ts";
import type { GradientCase } from "./case.ts";
import { elementwise } from "./elementwise.ts";
import { indexingCases } from "./indexing.ts";
import { movementCases } from "./movement.ts";
import { productCases } from "./products.ts";
import { reductionCases } from "./reductions.ts";
import { wholeNumbers } from "./whole-numbers.ts";

export const gradientCases: Readonly<Record<OpName, readonly GradientCase[]>> = {
  ...elementwise,
  ...wholeNumbers,
  ...reductionCases,
  ...productCases,
  ...movementCases,
  ...indexingCases,
};
