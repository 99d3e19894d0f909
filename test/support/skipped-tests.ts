// Says before the tests which of them are skipped, because a server is not installed.

import { skippedTests } from "./brokers.ts";

export default function setup(): void {
  const line = skippedTests();
  if (line !== null) process.stdout.write(`${line}\n`);
}
