// Tasks: environments with the scores of all their objects.

export { type BitSequenceOptions, bitSequenceTask } from "./bit-sequence/index.ts";
export { type HypergridTaskOptions, hypergridTask, type Picture } from "./hypergrid/index.ts";
export {
  expectedProfit,
  type PricingTask,
  type PricingTaskOptions,
  pricingTask,
} from "./pricing/index.ts";
export { type RegimeTaskOptions, regimeTask } from "./regime/index.ts";
export { type RegimeLimits, regimeLimits } from "./regime/limits.ts";
export { type TableTaskOptions, tableTask } from "./table/index.ts";
export { type EnumerableTask, isEnumerableTask, type Task } from "./task.ts";
export { BindingTableError, parseBindingTable } from "./tfbind8/binding-table.ts";
export { type Tfbind8Options, tfbind8Task } from "./tfbind8/index.ts";
export { readBindingTable } from "./tfbind8/read-binding-table.ts";
