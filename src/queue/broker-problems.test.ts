// Tests of the sentences about brokers, from the errors and replies that cause them.

import { expect, test } from "vitest";
import {
  clockProblem,
  connectionProblem,
  evictionProblem,
  persistenceProblem,
  postgresVersionProblem,
} from "./broker-problems.ts";
import type { QueueAddress } from "./queue-address.ts";

const redis: QueueAddress = {
  ...{ store: "redis", host: "broker.example", port: 6379, user: null, password: "hidden", database: "0" },
  ...{ tls: false, key: null, namespace: "gflownet" },
};
const postgres: QueueAddress = { ...redis, store: "postgresql", port: 5432, database: "work" };
const error = (message: string, code?: string) => Object.assign(new Error(message), { code });

test.each<[Error, QueueAddress, string]>([
  [
    error("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED"),
    redis,
    "there is no Redis or Valkey at redis://broker.example:6379: the connection was refused; start it, or correct --queue",
  ],
  [
    error("getaddrinfo ENOTFOUND", "ENOTFOUND"),
    redis,
    "there is no machine with the name broker.example; correct --queue",
  ],
  [
    error("WRONGPASS invalid username-password pair"),
    redis,
    "redis://broker.example:6379 refused the user or the password; correct GFLOWNET_QUEUE_PASSWORD or the file of the queue",
  ],
  [
    error('password authentication failed for user "me"', "28P01"),
    postgres,
    "postgresql://broker.example:5432/work refused the user or the password; correct GFLOWNET_QUEUE_PASSWORD or the file of the queue",
  ],
  [
    error("NOAUTH Authentication required."),
    redis,
    "redis://broker.example:6379 needs a password; put it into GFLOWNET_QUEUE_PASSWORD, or into the file of the queue",
  ],
  [
    error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    postgres,
    "postgresql://broker.example:5432/work needs a password; put it into GFLOWNET_QUEUE_PASSWORD, or into the file of the queue",
  ],
  [
    error('database "work" does not exist', "3D000"),
    postgres,
    "postgresql://broker.example:5432/work has no database work; create it with: createdb work",
  ],
  [
    error("write EPROTO 0A00010B:SSL routines::wrong version number", "EPROTO"),
    { ...redis, tls: true },
    "rediss://broker.example:6379 does not speak TLS on this port; use redis:// or the port for TLS",
  ],
  [
    error("The server does not support SSL connections"),
    { ...postgres, tls: true },
    "postgresql://broker.example:5432/work does not speak TLS on this port; use sslmode=disable or the port for TLS",
  ],
  [
    error("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"),
    { ...redis, tls: true },
    "the certificate of rediss://broker.example:6379 cannot be verified (self-signed certificate); name its authority in NODE_EXTRA_CA_CERTS",
  ],
  [
    error("connect ETIMEDOUT", "ETIMEDOUT"),
    redis,
    "redis://broker.example:6379 did not answer in time; correct --queue, or look at the server",
  ],
  [
    error("Connection is closed."),
    redis,
    "redis://broker.example:6379 closed the connection; it may expect TLS, or be no Redis or Valkey",
  ],
  [
    error("permission denied\nfor schema public"),
    postgres,
    "postgresql://broker.example:5432/work cannot be used as a queue: permission denied",
  ],
])("the error %s is one sentence", (given, address, sentence) => {
  expect(connectionProblem(given, address)).toBe(sentence);
});

test("only a Redis that evicts nothing, or does not tell, can keep a queue", () => {
  expect(evictionProblem("noeviction")).toBeNull();
  expect(evictionProblem(null)).toBeNull();
  expect(evictionProblem("allkeys-lru")).toMatch(/maxmemory-policy allkeys-lru.*set it to noeviction/);
});

test("a Redis without any persistence is warned about", () => {
  expect(persistenceProblem("no", "")).toMatch(/keeps nothing on disk.*set appendonly to yes/);
  expect(persistenceProblem("yes", "")).toBeNull();
  expect(persistenceProblem("no", "3600 1")).toBeNull();
  expect(persistenceProblem(null, null)).toBeNull();
});

test("PostgreSQL 12 is too old", () => {
  expect(postgresVersionProblem("120022")).toBe("is PostgreSQL 12; version 13 or later is needed");
  expect(postgresVersionProblem("130000")).toBeNull();
});

test("a clock that is off by more than a fifth of the lock is refused where clocks matter", () => {
  expect(clockProblem(null, 10)).toBeNull();
  expect(clockProblem(-2000, 10)).toBeNull();
  expect(clockProblem(86_400_000, 10)).toMatch(
    /^has a clock that is 86400 s ahead of the clock of this machine/,
  );
  expect(clockProblem(-2100, 10)).toMatch(/^has a clock that is 2 s behind/);
});
