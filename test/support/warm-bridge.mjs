// A thread between the tests and the process that runs their commands. Tests block their own thread while they wait for
// a command, so this thread handles the messages of the process.

import { fork } from "node:child_process";
import { workerData } from "node:worker_threads";

const { port, answered, program } = workerData;
let child;
let waiting = false;

function answer(message) {
  waiting = false;
  port.postMessage(message);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

function started() {
  const begun = fork(program, [], { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let stderr = "";
  begun.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  begun.on("message", answer);
  // A command must not end the shared process. If it does, the test gets the exit code and the error output of the
  // process.
  begun.on("close", (status) => {
    child = undefined;
    if (waiting) answer({ status, stdout: "", stderr: `the shared process ended: ${stderr}` });
  });
  return begun;
}

port.on("message", (command) => {
  waiting = true;
  child ??= started();
  child.send(command);
});
