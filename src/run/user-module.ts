// Loads a module of the user with the functions that a run folder cannot hold: `scores`, and `environment` if needed.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checkEnvironment } from "../gfn/environment/check-environment.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { UserError } from "../issues.ts";
import type { OpenRunOptions } from "./trained-run.ts";

/** Runs the module. Throws a UserError if it cannot be loaded or exports neither part. */
export async function loadUserModule(file: string): Promise<OpenRunOptions> {
  const path = resolve(file);
  const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href).catch(
    (error: Error & { readonly code?: string }) => {
      const isTypeScript = error.code === "ERR_UNKNOWN_FILE_EXTENSION";
      const remedy = isTypeScript ? "; this version of Node reads JavaScript only, so compile the file" : "";
      throw new UserError(`${path} cannot be loaded: ${error.message.split("\n")[0]}${remedy}`, {
        cause: error,
      });
    },
  );
  const { scores, environment } = exported;
  if (scores === undefined && environment === undefined) {
    throw new UserError(`${path} must export \`scores\`, \`environment\` or both, got ${namesOf(exported)}`);
  }
  if (scores !== undefined && typeof scores !== "function" && !(scores instanceof Float64Array)) {
    throw new UserError(`${path}: \`scores\` must be a function or a Float64Array, got ${typeof scores}`);
  }
  if (environment !== undefined) checkEnvironment(environment as Environment);
  return { scores, environment } as OpenRunOptions;
}

function namesOf(exported: object): string {
  return Object.keys(exported).join(", ") || "no exports";
}
