// The flag `--queue`, and what commands make of it.

import { type Broker, openBroker } from "../queue/broker.ts";
import { queueAddress } from "../queue/queue-address.ts";

/** Connects to the queue that the flag names. Throws a UserError if that is not possible. */
export async function brokerOf(queue: string): Promise<Broker> {
  const address = await queueAddress(queue, process.env, warn);
  return openBroker(address, { warn });
}

/** Warnings go to standard error, each once. */
export const warn = warnOnce((message) => process.stderr.write(`gflownet: ${message}\n`));

function warnOnce(print: (message: string) => void): (message: string) => void {
  const printed = new Set<string>();
  return (message) => {
    if (printed.has(message)) return;
    printed.add(message);
    print(message);
  };
}
