// Between tests that wait and the process that runs their commands: a thread, whose events go on while they wait.

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
  // No command may end the process it shares; one that does is told of as if it had been alone.
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
