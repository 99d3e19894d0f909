// The data inside a report file.

import { readFileSync } from "node:fs";
import { unpackReport } from "../../src/views/packed-report.ts";
import type { ReportData } from "../../src/views/page-data.ts";

export function reportIn(file: string): ReportData {
  const html = readFileSync(file, "utf8");
  const data = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(html)?.[1];
  if (data === undefined) throw new Error(`${file} is not a report`);
  return unpackReport(data);
}
