// Opens an address in the user's browser, if there is a screen to show it on.

import { spawn } from "node:child_process";

/** The command that opens an address; null if there is no screen. */
export function openingCommand(
  url: string,
  {
    platform,
    env,
  }: { readonly platform: string; readonly env: Readonly<Record<string, string | undefined>> },
): readonly string[] | null {
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  const isRemote = env.SSH_CONNECTION !== undefined;
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasScreen && !isRemote ? ["xdg-open", url] : null;
}

/** Opens an address, and returns whether a browser could be asked to. It does not wait for the browser. */
export async function openBrowser(url: string): Promise<boolean> {
  const command = openingCommand(url, process);
  if (!command) return false;
  const [program, ...args] = command;
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", () => done(false)).on("spawn", () => done(true));
    child.unref();
  });
}
