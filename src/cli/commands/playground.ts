// `gflownet playground`: serves the page that trains in the browser, or copies it into a folder for a web host.

import { once } from "node:events";
import { cp } from "node:fs/promises";
import { resolve } from "node:path";
import { UserError } from "../../issues.ts";
import { playgroundFolder, startPlayground } from "../../playground/server.ts";
import { openBrowser } from "../open-browser.ts";
import { printJson } from "../output.ts";
import { Stop } from "../stop.ts";

export interface PlaygroundCommand {
  readonly port?: number;
  readonly open: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

export async function playground({ port, open, out, json }: PlaygroundCommand): Promise<void> {
  if (out !== undefined) return copyTo(out, json);
  const stop = new Stop();
  await stop.whileListening(async () => {
    const server = await startPlayground({ port });
    try {
      if (json) printJson({ url: server.url, port: server.port });
      else process.stdout.write(`The playground is at ${server.url}\n`);
      const isOpen = open && (await openBrowser(server.url));
      if (!json) process.stdout.write(`${isOpen ? "" : "Open it in a browser. "}Ctrl-C ends it.\n`);
      if (!stop.interruption.aborted) await once(stop.interruption, "abort");
    } finally {
      await server.close();
    }
  });
}

/** Copies the page into a new folder. */
async function copyTo(out: string, json = false): Promise<void> {
  const page = playgroundFolder();
  if (page === null) throw new UserError("the playground is not built; run `npm run build` in the clone");
  try {
    await cp(page, out, { recursive: true, errorOnExist: true, force: false });
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).includes("EEXIST")) throw error;
    const message = `has files of a playground already, got ${out}; choose a new folder`;
    throw new UserError([{ path: "out", code: "exists", message }]);
  }
  if (json) printJson({ folder: resolve(out) });
  else process.stdout.write(`The playground is in ${out}; put the folder on any web host.\n`);
}
