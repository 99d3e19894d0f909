// Other ways to learn a policy for the same environments, to compare GFlowNets with.

export { createGflownet, type Learner, type LearnerReport } from "./learner.ts";
export { createPpo, type PpoOptions } from "./ppo.ts";
export { checkPpoSettings, defaultPpoSettings, type PpoSettings } from "./ppo-settings.ts";
