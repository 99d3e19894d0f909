// The order of test files: those that take longest come first, so that no worker is left alone with one at the end.
//
// Vitest itself knows durations only from an earlier run, and a fresh clone has none.

import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, the longest first. A missing or outdated entry costs time only. */
const SLOW_FILES = [
  "test/cli-interrupted.test.ts",
  "test/examples.test.ts",
  "test/robustness.test.ts",
  "test/forecast-cli.test.ts",
  "test/cli.test.ts",
  "test/document-programs.test.ts",
  "test/compare.test.ts",
  "test/training-options.test.ts",
  "test/cli-encoders.test.ts",
  "src/forecast/scenario/infill.test.ts",
  "src/gfn/training/train.test.ts",
  "test/resume.test.ts",
  "src/gfn/training/expected-dynamics-training.test.ts",
  "src/engine/engines.test.ts",
  "test/forecast-cli-backtest.test.ts",
  "src/forecast/scenario/exact-distribution.test.ts",
  "bench/fuzz/index.test.ts",
  "test/environments.test.ts",
  "src/gfn/objectives/objective-gradients.test.ts",
  "src/gfn/training/iteration.test.ts",
  "src/forecast/scenario/scenario.test.ts",
  "bench/training.test.ts",
  "test/native-missing.test.ts",
  "test/cli-design.test.ts",
  "src/cli/commands/design-examples.test.ts",
  "test/constrained-training.test.ts",
  "src/gfn/training/data-set-training.test.ts",
  "src/gfn/policy/letter-networks.test.ts",
  "src/design/design.test.ts",
  "src/design/design-training.test.ts",
];

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of one project stay together, because workers are not shared between projects.
    const rank = ({ project, moduleId }: TestSpecification) => {
      const at = SLOW_FILES.indexOf(relative(project.config.root, moduleId).replaceAll("\\", "/"));
      return project.config.isolate ? -1 : at < 0 ? SLOW_FILES.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
