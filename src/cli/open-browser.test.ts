// Tests which program opens an address.

import { expect, test } from "vitest";
import { openingCommand } from "./open-browser.ts";

const url = "http://127.0.0.1:1/?token=a&b";

test.each([
  ["linux", { DISPLAY: ":0" }, ["xdg-open", url]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open", url]],
  ["linux", {}, null],
  ["linux", { DISPLAY: "localhost:10.0", SSH_CONNECTION: "a b c d" }, null],
  ["darwin", {}, ["open", url]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler", url]],
])("on %s with %j", (platform, env, command) => {
  expect(openingCommand(url, { platform, env })).toEqual(command);
});
