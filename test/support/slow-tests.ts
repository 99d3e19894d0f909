// Tests that train to convergence, interrupt and resume runs, or run whole programs. They take as long as all others
// together, so `npm test` leaves them out, and `npm run test:slow` runs them; `.ci/run` runs both.

export const SLOW_TESTS = [
  "test/training-options.test.ts",
  "test/cli-interrupted.test.ts",
  "test/compare.test.ts",
  "test/resume.test.ts",
  "test/document-programs.test.ts",
  "test/robustness.test.ts",
  "test/cli-encoders.test.ts",
  "test/examples.test.ts",
  "src/forecast/scenario/infill.test.ts",
  "src/gfn/training/expected-dynamics-training.test.ts",
  "src/forecast/scenario/exact-distribution.test.ts",
  "test/constrained-training.test.ts",
  "test/native-missing.test.ts",
  "src/forecast/scenario/scenario.test.ts",
  "bench/training.test.ts",
  "test/training-options-more.test.ts",
  "src/gfn/policy/letter-networks.test.ts",
  "src/cli/commands/design-examples.test.ts",
  "test/forecast-cli-backtest.test.ts",
  "src/gfn/training/data-set-training.test.ts",
  "src/gfn/objectives/entropy-ratio/training.test.ts",
  "src/design/design.test.ts",
  "bench/fuzz/index.test.ts",
];
