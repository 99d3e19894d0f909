// Starts the dashboard's page on the data of its server.

import { render } from "preact";
import { AppProvider, createApp } from "./app.ts";
import { DashboardPage } from "./dashboard-page.tsx";
import { serverSource } from "./server-source.ts";
import { followTheme } from "./theme.ts";
import "./style.css";

followTheme();
const app = createApp(serverSource());
render(
  <AppProvider value={app}>
    <DashboardPage />
  </AppProvider>,
  document.getElementById("app") as HTMLElement,
);
