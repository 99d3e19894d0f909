// The config of a run: a flat object of settings, from a file or flags to what training takes.
//
//   parseConfig → completeConfig → taskOf, trainOptionsOf
//
// Whoever needs only flags and help imports `config/flags.ts`, which loads no networks.

export { completeConfig, configText } from "./config/complete.ts";
export { withoutEffect } from "./config/effect.ts";
export { ConfigError } from "./config/error.ts";
export { addConfigFlags, configOfFlags, type Flag, flagsOf } from "./config/flags.ts";
export { type CompleteConfig, type Config, GROUPS, KEYS, type KeyName, TASKS } from "./config/keys.ts";
export { settingsOf, trainOptionsOf } from "./config/options.ts";
export { CONFIG_VERSION, mergeConfig, parseConfig, parseConfigText, readConfig } from "./config/parse.ts";
export { taskOf } from "./config/task.ts";
