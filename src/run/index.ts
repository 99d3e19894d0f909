// Run folders: open one as a trained model, save one, and list the runs of a folder. For Node only.

export { listRuns, type RunSummary } from "./list-runs.ts";
export { RunError, RunLockedError, RunNameError } from "./run-error.ts";
export { type RunView, viewRun } from "./run-folder.ts";
export { openRun, saveRun } from "./saved-run.ts";
export type { OpenRunOptions } from "./trained-run.ts";
export { loadUserModule } from "./user-module.ts";
