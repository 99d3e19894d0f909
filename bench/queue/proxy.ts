// A TCP proxy in front of a broker, as a process of its own: while it is stopped by SIGSTOP, the network is cut without anyone
// being told. When the broker is gone, it closes connections, as the broker's machine would.
//
//   tsx bench/queue/proxy.ts PORT-OF-THE-PROXY PORT-OF-THE-BROKER

import { connect, createServer } from "node:net";

const [port, target] = process.argv.slice(2).map(Number);
const server = createServer((client) => {
  const broker = connect(target, "127.0.0.1");
  client.setNoDelay(true);
  broker.setNoDelay(true);
  client.pipe(broker);
  broker.pipe(client);
  for (const [socket, other] of [
    [client, broker],
    [broker, client],
  ]) {
    socket.on("error", () => other.destroy());
    socket.on("close", () => other.destroy());
  }
});
server.listen(port, "127.0.0.1", () => console.log("ready"));
