// Baselines that learn a policy for the same environments, and the interface that they share with GFlowNets.

export { gflownetLearner, type Learner, type LearnerReport } from "./learner.ts";
export { type PpoOptions, ppoLearner } from "./ppo.ts";
export { checkPpoSettings, defaultPpoSettings, type PpoSettings } from "./ppo-settings.ts";
