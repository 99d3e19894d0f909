// A report as one HTML file: the page that the build makes, with the data inside. It requests nothing, which its
// Content-Security-Policy enforces, and runs no script but its own.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isMissing } from "../disk/open-file.ts";
import { UserError } from "../issues.ts";
import { escapeText } from "../report/escape.ts";
import { GENERATOR_TAG } from "../report/page.ts";
import { packReport } from "./packed-report.ts";
import type { ReportData } from "./page-data.ts";

/** Bytes of a report. */
export const LARGEST_REPORT = 3_000_000;
/** Bytes for the tags around script and data. */
const ROOM = 2000;

/** The page of reports, without data. */
export interface ReportTemplate {
  /** The HTML of the report with this data inside. Deterministic. */
  html(data: ReportData): string;
  /** Bytes that the data may have. */
  readonly largestData: number;
}

/** The template that the build has made: beside the compiled sources. A clone that runs its sources has it in `dist`. */
function builtTemplate(): string {
  const isCompiled = import.meta.url.endsWith(".js");
  const file = isCompiled ? "../web/report.html" : "../../dist/web/report.html";
  return fileURLToPath(new URL(file, import.meta.url));
}

/** Throws a UserError if the page is not built. */
export async function reportTemplate(file = builtTemplate()): Promise<ReportTemplate> {
  const page = await readFile(file, "utf8").catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new UserError(`${file} does not exist; run \`npm run build\` in the clone to make it`);
  });
  const script = /<script type="module">([\s\S]*?)<\/script>/.exec(page)?.[1];
  if (script === undefined) throw new UserError(`${file} is not the page of reports; run \`npm run build\``);
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = [
    ...["default-src 'none'", `script-src 'sha256-${hash}'`, "style-src 'unsafe-inline'", "img-src data:"],
    ...["base-uri 'none'", "form-action 'none'"],
  ].join("; ");
  const head = `${GENERATOR_TAG}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return {
    largestData: LARGEST_REPORT - Buffer.byteLength(page) - ROOM,
    html: (data) =>
      page
        .replace('<meta charset="utf-8">', (tag) => `${tag}\n${head}`)
        .replace(/<title>.*?<\/title>/, () => `<title>${escapeText(data.title)}</title>`)
        .replace('<div id="app"></div>', (tag) => {
          return `${tag}\n<script type="application/json" id="report-data">${packReport(data)}</script>`;
        }),
  };
}
