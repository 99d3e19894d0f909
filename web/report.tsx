// Starts the report's page on the data inside it: JSON in the script element `report-data`.

import { render } from "preact";
import { unpackReport } from "../src/views/packed-report.ts";
import { AppProvider, createApp } from "./app.ts";
import { ReportPage } from "./report-page.tsx";
import { reportSource } from "./report-source.ts";
import { followTheme } from "./theme.ts";
import "./style.css";

const place = document.getElementById("app") as HTMLElement;
const data = document.getElementById("report-data")?.textContent;
if (data) {
  const report = unpackReport(data);
  document.title = `${report.title} · gflownet`;
  followTheme();
  const app = createApp(reportSource(report), report.state);
  render(
    <AppProvider value={app}>
      <ReportPage report={report} />
    </AppProvider>,
    place,
  );
} else place.textContent = "This report has no data; make it again with gflownet report.";
