// GFlowNets over token paths, conditional on a context: problems, training, sampling and exact evaluation.

export * from "./batch-composition.ts";
export { type Channel, uniformChannel } from "./channel.ts";
export * from "./exact.ts";
export { type FlowModel, type FlowNetworkOptions, flowModel } from "./flow-model.ts";
export { policyRealising, reachableLimit } from "./limit.ts";
export { FLOW_BALANCES, FLOW_FORMS, type FlowObjective } from "./objective.ts";
export * from "./prefix-tables.ts";
export * from "./problem.ts";
export * from "./rewards.ts";
export * from "./sampler.ts";
export * from "./trainer.ts";
