// Issues of methods beside the task and the shared settings: conflicts between settings, and policies that cannot be
// evaluated exactly. Also settings without effect, for a warning.

import { type CompleteConfig, type Config, definitionOf } from "../config/config.ts";
import { taskOptions, withDefaults } from "../config/fill-defaults.ts";
import { parseConfig } from "../config/parse.ts";
import { unusedSettings } from "../config/unused-settings.ts";
import { isEnumerable } from "../gfn/environment/environment.ts";
import { canEnumerateStates } from "../gfn/evaluate/enumerated-states.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import type { EncoderInput } from "../gfn/policy/input-names.ts";
import { type Issue, UserError } from "../issues.ts";
import { parseMethod } from "./method-text.ts";
import { findMethod } from "./methods.ts";

/** Issues that a valid config has only with one of the methods. Their paths begin with the method. */
export async function methodIssues(methods: readonly string[], config: Config): Promise<Issue[]> {
  const issues = await Promise.all(methods.map((method) => issuesOf(method, config)));
  return issues.flat();
}

async function issuesOf(text: string, shared: Config): Promise<Issue[]> {
  const method = findMethod(text);
  const { name, problem } = parseMethod(text);
  const own = (issue: Issue): Issue => ({ ...issue, path: `${name}:${issue.path}` });
  const config: Config = { ...shared, ...problem };
  if (problem) {
    const error = await parseConfig(config).catch((thrown: unknown) => thrown);
    if (error instanceof UserError) return error.issues.map(own);
  }
  const definition = definitionOf(config);
  const environment = (await definition.load()).environment(await taskOptions(config));
  if (method.kind === "search" && !isEnumerable(environment)) {
    const message = `${text} needs states that can be enumerated, but those of ${definition.name} cannot; remove it`;
    return [{ path: "methods", code: "unsupported", message }];
  }
  if (method.kind !== "gflownet") return [];
  const { input } = method;
  const error = await parseConfig({ ...config, ...input }).catch((thrown: unknown) => thrown);
  if (error instanceof UserError) return error.issues.map(own);
  if (error instanceof Error) throw error;
  const settings = (await withDefaults({ ...config, ...input })) as CompleteConfig;
  const inputOf = (encoder: EncoderInput) => (encoder === "none" ? undefined : encoder);
  const historyInputs = {
    policy: inputOf(settings.encoder),
    dynamics: learnsDynamics(settings) ? inputOf(settings.dynamicsEncoder) : undefined,
  };
  if (canEnumerateStates({ environment, historyInputs })) return [];
  const message = `the policy could not be evaluated exactly, because the histories of ${environment.name} cannot be enumerated; use none`;
  return [own({ path: "encoder", code: "unsupported", message })];
}

/** One sentence for each setting of a method that has no effect. */
export async function methodWarnings(methods: readonly string[], config: Config): Promise<string[]> {
  const warnings = await Promise.all(
    methods.map(async (text) => {
      const method = findMethod(text);
      if (method.kind !== "gflownet") return [];
      const { settings, problem } = parseMethod(text);
      const complete = await withDefaults({ ...config, ...problem, ...method.input });
      const given = settings as Config;
      return unusedSettings(given, complete as CompleteConfig).map((sentence) => `${text}: ${sentence}`);
    }),
  );
  return warnings.flat();
}
