// Tests of opening a broker, with real servers: what cannot keep a queue is refused with one sentence.

import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BROKER_PASSWORD,
  freePort,
  STORES,
  startBroker,
  type TestBroker,
} from "../../test/support/brokers.ts";
import { eachStore } from "../../test/support/queue-parts.ts";
import { UserError } from "../issues.ts";
import { openBroker } from "./broker.ts";
import { queueAddress } from "./queue-address.ts";

async function problem(url: string, password: string | null = BROKER_PASSWORD): Promise<string> {
  const variables = password === null ? {} : { GFLOWNET_QUEUE_PASSWORD: password };
  const error = await openBroker(await queueAddress(url, variables), { warn: () => {} }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

eachStore((store) => {
  let server: TestBroker;
  beforeAll(async () => {
    server = await startBroker(store);
  });
  afterAll(() => server.remove());

  test("a queue can be opened, and again", async () => {
    const warnings: string[] = [];
    for (const _ of [1, 2]) {
      const address = await queueAddress(server.queueFile("again"));
      const broker = await openBroker(address, { warn: (message) => warnings.push(message) });
      const queue = broker.queue("units");
      expect(await queue.getJobCounts("waiting")).toEqual({ waiting: 0 });
      await queue.close();
    }
    expect(warnings).toEqual([]);
  });

  test("a wrong password and a missing one are told apart", async () => {
    expect(await problem(server.url, "wrong")).toMatch(
      /refused the user or the password; correct GFLOWNET_QUEUE_/,
    );
    expect(await problem(server.url, null)).toMatch(/needs a password; put it into GFLOWNET_QUEUE_PASSWORD/);
  });

  test("a port without a server is told", async () => {
    const url = server.url.replace(`:${server.port}`, `:${await freePort()}`);
    expect(await problem(url)).toMatch(/^there is no .* at .*: the connection was refused; start it/);
  });

  test("TLS to a port without it is told", async () => {
    const url = store === "redis" ? server.url.replace("redis:", "rediss:") : `${server.url}?sslmode=require`;
    // Redis waits for the rest of what it takes for a command; PostgreSQL answers.
    const sentence =
      store === "redis"
        ? /did not answer in time; it may not speak TLS on this port/
        : /does not speak TLS on this port; use sslmode=disable/;
    expect(await problem(url)).toMatch(sentence);
  });

  test.runIf(store === "postgresql")("a database that is missing is told with the remedy", async () => {
    const url = server.url.replace(/postgres$/, "nothing");
    expect(await problem(url)).toMatch(/has no database nothing; create it with: createdb nothing$/);
  });
});

describe.runIf(STORES.includes("redis"))("Redis", () => {
  test("a server that removes keys is refused, and one that keeps nothing on disk is warned about", async () => {
    const server = await startBroker("redis", ["--maxmemory-policy", "allkeys-lru", "--appendonly", "no"]);
    try {
      expect(await problem(server.url)).toMatch(
        /removes keys when its memory is full \(maxmemory-policy allkeys-lru\)/,
      );
    } finally {
      await server.remove();
    }
    const forgetful = await startBroker("redis", ["--appendonly", "no"]);
    try {
      const warnings: string[] = [];
      const address = await queueAddress(forgetful.queueFile("one"));
      await openBroker(address, { warn: (message) => warnings.push(message) });
      expect(warnings).toEqual([
        expect.stringMatching(/^redis:.* keeps nothing on disk: .*set appendonly to yes$/),
      ]);
    } finally {
      await forgetful.remove();
    }
  });
});

/** A server that speaks as much of PostgreSQL's protocol as a client needs to ask for the version. */
async function oldPostgres(version: string): Promise<{ readonly port: number; close(): void }> {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const number = (bytes: 2 | 4, value: number) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from(type), number(4, body.length + 4), body]);
  };
  const ready = message("Z", Buffer.from("I"));
  const column = Buffer.concat([text("server_version_num"), number(4, 0), number(2, 0), number(4, 25)]);
  const row = [
    message("T", number(2, 1), column, number(2, -1), number(4, -1), number(2, 0)),
    message("D", number(2, 1), number(4, version.length), Buffer.from(version)),
    message("C", text("SHOW")),
  ];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    let isStarted = false;
    socket.on("data", (data) => {
      if (!isStarted) socket.write(Buffer.concat([message("R", number(4, 0)), ready]));
      else if (data[0] === "Q".charCodeAt(0)) socket.write(Buffer.concat([...row, ready]));
      isStarted = true;
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { readonly port: number }).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test("PostgreSQL 12 is refused", async () => {
  const server = await oldPostgres("120022");
  try {
    const url = `postgresql://me@127.0.0.1:${server.port}/work`;
    expect(await problem(url)).toBe(
      `postgresql://127.0.0.1:${server.port}/work is PostgreSQL 12; version 13 or later is needed`,
    );
  } finally {
    server.close();
  }
});
