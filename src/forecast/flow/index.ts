// Flows over token paths, conditional on a context: what they are, how they are trained, and how far from their target
// they are, exactly.

export * from "./behaviour.ts";
export { type Channel, uniformChannel } from "./channel.ts";
export * from "./exact.ts";
export { type FlowModel, type FlowNetworkOptions, flowModel } from "./model.ts";
export { FLOW_BALANCES, FLOW_FORMS, type FlowObjective } from "./objective.ts";
export * from "./problem.ts";
export { policyFor, reachable } from "./reachable.ts";
export * from "./rewards.ts";
export * from "./sampler.ts";
export * from "./tables.ts";
export * from "./trainer.ts";
