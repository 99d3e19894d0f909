// What a problem would run and whom it would contact, and whether the user has allowed it. A problem file may be a
// stranger's, so nothing is allowed by the file itself.

import type { Issue } from "../issues.ts";
import type { Problem } from "./problem.ts";

/** What the user allows on the command line. */
export interface Allowed {
  /** Whether programs and modules may run. */
  readonly allowExec?: boolean;
  /** Hosts that may be contacted, each with all ports (`example.org`) or with one (`localhost:8080`). */
  readonly allowNet?: readonly string[];
}

/** What a problem needs. */
export interface Permissions {
  /** What is needed and not allowed. Names of options are in backticks. */
  readonly issues: readonly Issue[];
  /** What will be run, contacted and read, one line each, to be printed before it happens. */
  readonly lines: readonly string[];
}

/** Files need no permission here: `readProblem` refuses those outside the folder that are not given to it. */
export function permissions(
  { oracle, folder }: Problem,
  { allowExec = false, allowNet = [] }: Allowed,
): Permissions {
  switch (oracle?.kind) {
    case "program": {
      const command = oracle.command.map(shownWord).join(" ");
      const copies = (oracle.workers ?? 1) > 1 ? `, ${oracle.workers} at the same time` : "";
      return exec(
        "oracle.program",
        `the program ${command}`,
        `runs ${command} in ${folder}${copies}`,
        allowExec,
      );
    }
    case "module":
      return exec("oracle.module", `the module ${oracle.file}`, `runs the module ${oracle.file}`, allowExec);
    case "http": {
      const { host } = new URL(oracle.url);
      const isAllowed = allowNet.some((each) => isSameHost(each, new URL(oracle.url)));
      const message = `sends strings to ${host}, which must be allowed by \`allowNet\` ${host}`;
      return {
        issues: isAllowed ? [] : [{ path: "oracle.url", code: "permission", message }],
        lines: [`sends strings to ${shownAddress(new URL(oracle.url))}`],
      };
    }
    case "table":
      return { issues: [], lines: [`reads ${oracle.file}`] };
    case "landscape":
      return { issues: [], lines: "file" in oracle.landscape ? [`reads ${oracle.landscape.file}`] : [] };
    case undefined:
      return { issues: [], lines: [] };
    default:
      return oracle satisfies never;
  }
}

function exec(path: string, what: string, line: string, isAllowed: boolean): Permissions {
  const message = `runs ${what}, which must be allowed by \`allowExec\``;
  return { issues: isAllowed ? [] : [{ path, code: "permission", message }], lines: [line] };
}

/** A host without a port stands for all its ports. Host names are compared as URLs write them. */
function isSameHost(allowed: string, { hostname, port, protocol }: URL): boolean {
  const address = `${protocol}//${allowed}`;
  if (allowed === "" || /[/@?#\\\s]/.test(allowed) || !URL.canParse(address)) return false;
  const given = new URL(address);
  const hasPort = /:\d+$/.test(allowed);
  return given.hostname === hostname && (!hasPort || given.port === port);
}

/** An address without its query, which may hold a key. */
function shownAddress({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/** A word as the user would have to type it, so that blanks and control characters are visible. */
function shownWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : JSON.stringify(word);
}
