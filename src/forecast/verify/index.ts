// The exact suite of flows over token paths.

export type { VerifyRow } from "./run-case.ts";
export { suiteCases, type VerifyOptions, verify } from "./verify.ts";
