// Problems to solve: an environment and the scores of everything that can come out of it.

export { type BitSequenceOptions, bitSequenceTask } from "./bit-sequence/index.ts";
export { type HypergridTaskOptions, hypergridTask } from "./hypergrid/index.ts";
export {
  expectedProfit,
  type PricingTask,
  type PricingTaskOptions,
  pricingTask,
} from "./pricing/index.ts";
export { type RegimeTaskOptions, regimeTask } from "./regime/index.ts";
export { type RegimeLimits, regimeLimits } from "./regime/limits.ts";
export { isListed, type ListedTask, type Task } from "./task.ts";
export { BindingTableError, parseBindingTable } from "./tfbind8/binding-table.ts";
export { type Tfbind8Options, tfbind8Task } from "./tfbind8/index.ts";
export { readBindingTable } from "./tfbind8/read-binding-table.ts";
