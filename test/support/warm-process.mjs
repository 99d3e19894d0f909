// A process that runs many commands one after another, so that modules are loaded and compiled only once. A message has
// the arguments and the working folder of a command; the answer has its output and its exit code.

import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";

/** Runs one command. Sets and restores all state of the process that commands change. */
async function run({ main, args, folder }, number) {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    process[name].write = (text) => {
      printed[name] += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    };
  }
  process.chdir(folder);
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  // The query makes the URL new, so that the entry point runs again. The modules that it imports stay loaded.
  await import(`${pathToFileURL(main)}?${number}`);
  const status = process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const name of ["stdout", "stderr"]) process[name].removeAllListeners("error");
  // Leaves the folder of the command, because the test may remove it.
  process.chdir(tmpdir());
  return { status, ...printed };
}

let count = 0;
process.on("message", async (command) => process.send(await run(command, ++count)));
process.on("disconnect", () => process.exit());
