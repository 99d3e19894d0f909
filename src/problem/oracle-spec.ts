// Turns the oracle of a problem file into what the oracles need: files by their path, and keys that belong together.

import { resolve } from "node:path";
import { show, UserError } from "../issues.ts";
import { splitCommand } from "../oracle/split-command.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import { type FilePlace, namedFile } from "./folder-files.ts";
import type { LandscapeSpec, OracleSpec } from "./problem.ts";
import type { PROBLEM_FIELDS } from "./problem-keys.ts";
import type { Report } from "./report.ts";
import type { Values } from "./shapes.ts";

type OracleValues = NonNullable<Values<typeof PROBLEM_FIELDS>["oracle"]>;
type ProgramValues = Extract<OracleValues, { readonly kind: "program" }>;
type LandscapeValues = Extract<OracleValues, { readonly kind: "landscape" }>;

export interface OracleContext {
  readonly place: FilePlace;
  readonly report: Report;
}

/** The oracle; null if something is wrong with it, which is then reported. Nothing is run, and no host is asked. */
export async function readOracle(values: OracleValues, context: OracleContext): Promise<OracleSpec | null> {
  const { place, report } = context;
  if (typeof values === "string") return program({ kind: "program", program: values }, "oracle", report);
  const version =
    values.kind !== "landscape" && values.version !== undefined ? { version: values.version } : {};
  switch (values.kind) {
    case "program":
      return program(values, "oracle.program", report);
    case "module": {
      const { kind, module, timeout, batch } = values;
      if (module === undefined) return null;
      return withoutUndefined({ kind, file: resolve(place.folder, module), timeout, batch, ...version });
    }
    case "table": {
      const { kind, table, string, score } = values;
      const file = await readable(table, "oracle.table", context);
      return file === undefined ? null : withoutUndefined({ kind, file, string, score, ...version });
    }
    case "url": {
      const { kind: _, url, version: __, ...options } = values;
      const problem = url === undefined ? null : urlProblem(url);
      if (problem !== null) report.issue("oracle.url", "range", problem);
      return url === undefined || problem !== null
        ? null
        : withoutUndefined({ ...options, ...version, kind: "http" as const, url: new URL(url).href });
    }
    case "landscape": {
      const landscape = await readLandscape(values, context);
      return landscape && { kind: "landscape", landscape };
    }
    default:
      return values satisfies never;
  }
}

function program(values: ProgramValues, path: string, report: Report): OracleSpec | null {
  const { kind, program: given, protocol = "lines", ...options } = values;
  if (given === undefined) return null;
  try {
    const command =
      typeof given === "string" ? splitCommand(given) : given.filter((word) => word !== undefined);
    return withoutUndefined({ ...options, kind, protocol, command });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    report.issue(path, "command", error.issues[0].message);
    return null;
  }
}

async function readable(
  name: string | undefined,
  path: string,
  { place, report }: OracleContext,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const found = await namedFile(name, place);
  if ("file" in found) return found.file;
  report.issue(path, "file", found.problem);
  return undefined;
}

function urlProblem(text: string): string | null {
  const rule = "must be an address that begins with http:// or https://";
  if (!URL.canParse(text)) return `${rule}, got ${show(text)}`;
  const { protocol, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return `${rule}, got ${show(text)}`;
  return username === "" && password === "" ? null : "must have no user name and no password";
}

/** The keys of each landscape besides `landscape`. */
const LANDSCAPE_KEYS = {
  ehrlich: ["file", "instance", "motifs", "motifLength", "quantization", "seed"],
  nk: ["k", "seed"],
} as const;

async function readLandscape(values: LandscapeValues, context: OracleContext): Promise<LandscapeSpec | null> {
  const { landscape, kind: _, ...options } = values;
  if (landscape === undefined) return null;
  const { report } = context;
  const known: readonly string[] = LANDSCAPE_KEYS[landscape];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    report.issue(
      `oracle.${name}`,
      "conflict",
      `does not belong to the landscape ${landscape}, which has ${known.join(", ")}`,
    );
  }
  const { file: name, instance, motifs, motifLength, quantization, seed = 0, k } = options;
  const need = (key: string, value: number | undefined) => {
    if (!(key in options))
      report.issue(`oracle.${key}`, "missing", `must be given for the landscape ${landscape}`);
    return value;
  };
  if (landscape === "nk") {
    const given = need("k", k);
    return given === undefined ? null : { family: "nk", k: given, seed };
  }
  if (name !== undefined) {
    for (const key of ["motifs", "motifLength", "quantization", "seed"] as const) {
      if (options[key] !== undefined)
        report.issue(`oracle.${key}`, "conflict", "excludes `file`, which has its own; give one of them");
    }
    const file = await readable(name, "oracle.file", context);
    return file === undefined
      ? null
      : { family: "ehrlich", file, ...(instance !== undefined && { instance }) };
  }
  if (instance !== undefined) report.issue("oracle.instance", "conflict", "needs `file`");
  const [count, letters] = [need("motifs", motifs), need("motifLength", motifLength)];
  if (count === undefined || letters === undefined) return null;
  return {
    family: "ehrlich",
    motifs: count,
    motifLength: letters,
    ...(quantization !== undefined && { quantization }),
    seed,
  };
}
