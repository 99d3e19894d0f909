// The task of a run that was trained from TypeScript. It is not in the registry: its environment, and its scores if they
// are in a table, come from the task file of the run.

import { RandomStream } from "../engine/index.ts";
import { type Environment, enumerationOf, isEnumerable } from "../gfn/environment/environment.ts";
import { terminalAfter } from "../gfn/evaluate/enumerated-log-probability.ts";
import { UserError } from "../issues.ts";
import type { TaskOfRun } from "../tasks/task.ts";
import { defineTask, type TaskDefinition } from "../tasks/task-definition.ts";

/** The value of `task` in the config of such a run. */
export const CUSTOM_TASK = "custom";

/** The definition of the task, for the functions that read a config. It has no options. */
export function customDefinition(environment: Environment): TaskDefinition {
  return defineTask<object>({
    name: CUSTOM_TASK,
    summary: "a task of your own, trained from TypeScript",
    keys: {},
    async load() {
      return {
        sizes: () => ({
          objects: isEnumerable(environment) ? enumerationOf(environment).terminals : 0,
          modes: 0,
        }),
        environment: () => environment,
        task() {
          throw new Error("internal: the task of such a run is built by customTask");
        },
      };
    },
  });
}

/** The stored task. Objects have indices only if the states can be enumerated. */
export function customTask(environment: Environment, scores: Float64Array | null): TaskOfRun {
  return {
    name: CUSTOM_TASK,
    label: scores ? "scores of your own, stored with the run" : "scores of a function of your own",
    environment,
    scores,
    decode(terminal) {
      if (!isEnumerable(environment)) throw indexError(environment);
      const outcomes = environment.sampleTrajectoryTo(terminal, RandomStream.fromSeed(0));
      return environment.describe(outcomes);
    },
    encode(text) {
      if (!isEnumerable(environment)) throw indexError(environment);
      const outcomes = environment.trajectoryOf(text, RandomStream.fromSeed(0));
      return terminalAfter(enumerationOf(environment), outcomes);
    },
  };
}

function indexError(environment: Environment): UserError {
  return new UserError(
    `the objects of ${environment.name} have no indices, because they cannot be enumerated`,
  );
}
