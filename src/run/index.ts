// Run folders: open one as a trained model, save one, and list the runs of a folder. For Node only.

export { RunError, RunLockedError, RunNameError } from "../disk/run-error.ts";
export { listRuns, type RunSummary } from "./list-runs.ts";
export { type RunView, viewRun } from "./run-folder.ts";
export { openRun, saveRun } from "./saved-run.ts";
export type { OpenRunOptions } from "./trained-run.ts";
export { loadUserModule } from "./user-module.ts";
