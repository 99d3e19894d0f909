// Configs of runs: from a file or flags to the task and the options of `train`.
//
//   parseConfig → completeConfig → taskOf, trainOptionsOf

export { completeConfig, configText } from "./complete.ts";
export { CONFIG_VERSION, type CompleteConfig, type Config, definitionOf } from "./config.ts";
export { mergeConfig, parseConfig, parseConfigText, readConfig } from "./parse.ts";
export { settingsOf, taskOf, trainOptionsOf } from "./train-options.ts";
export { unusedSettings } from "./unused-settings.ts";
