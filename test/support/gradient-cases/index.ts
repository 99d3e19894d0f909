// Gradient cases of all operations. The type of the table requires an entry for each.

import type { OpName } from "../../../src/engine/ir.ts";
import type { GradientCase } from "./case.ts";
import { elementwiseCases } from "./elementwise.ts";
import { indexingCases } from "./indexing.ts";
import { integerCases } from "./integers.ts";
import { movementCases } from "./movement.ts";
import { productCases } from "./products.ts";
import { reductionCases } from "./reductions.ts";

export const gradientCases: Readonly<Record<OpName, readonly GradientCase[]>> = {
  ...elementwiseCases,
  ...integerCases,
  ...reductionCases,
  ...productCases,
  ...movementCases,
  ...indexingCases,
};
