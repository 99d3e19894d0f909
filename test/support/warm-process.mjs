// One process that runs many commands one after another, so that loading and warming up are paid once. A command is
// what a new process would be given: arguments and a folder; what it prints and the exit code are sent back.

import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";

/** Of what a process may change, all that commands do change. */
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
  // The entry point runs again under another name; what it loads stays loaded.
  await import(`${pathToFileURL(main)}?${number}`);
  const status = process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const name of ["stdout", "stderr"]) process[name].removeAllListeners("error");
  // The folder of a command may be removed after it.
  process.chdir(tmpdir());
  return { status, ...printed };
}

let count = 0;
process.on("message", async (command) => process.send(await run(command, ++count)));
process.on("disconnect", () => process.exit());
