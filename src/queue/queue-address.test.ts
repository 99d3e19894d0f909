// Tests of the address of a queue: where URL, password and key come from, and one sentence for each mistake.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { addressText, isLoopback, queueAddress } from "./queue-address.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-address-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const KEY = "0123456789abcdef";

function file(content: unknown, mode = 0o600): string {
  const path = join(folder, `${Math.floor(performance.now() * 1e6)}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode });
  return path;
}

async function mistake(given: string, variables: Record<string, string> = {}): Promise<string> {
  const error = await queueAddress(given, variables).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

test("a URL has the defaults of its store", async () => {
  expect(await queueAddress("redis://localhost", {})).toEqual({
    ...{ store: "redis", host: "localhost", port: 6379, user: null, password: null, database: "0" },
    ...{ tls: false, key: null, namespace: "gflownet" },
  });
  expect(await queueAddress("postgresql://me@127.0.0.1", {})).toMatchObject({
    ...{ store: "postgresql", port: 5432, user: "me", database: "gflownet", tls: false },
  });
});

test("TLS is chosen by the scheme or by sslmode", async () => {
  const isTls = async (url: string) => (await queueAddress(url, {})).tls;
  expect(await isTls("rediss://localhost")).toBe(true);
  expect(await isTls("postgres://localhost?sslmode=require")).toBe(true);
  expect(await isTls("postgres://localhost?sslmode=disable")).toBe(false);
});

test("password and key come from the environment, and those of a file go first", async () => {
  const variables = { GFLOWNET_QUEUE_PASSWORD: "one", GFLOWNET_QUEUE_KEY: KEY };
  expect(await queueAddress("redis://a.example", variables)).toMatchObject({ password: "one", key: KEY });
  const given = file({
    url: "redis://:two@a.example/3",
    password: "three",
    key: `${KEY}f`,
    namespace: "mine",
  });
  expect(await queueAddress(given, variables)).toMatchObject({
    ...{ password: "three", key: `${KEY}f`, namespace: "mine", database: "3" },
  });
  expect(await queueAddress(file({ url: "redis://:t%25wo@localhost" }), {})).toMatchObject({
    password: "t%wo",
  });
});

test("a password on the command line is refused with the remedy, and is not repeated", async () => {
  for (const url of ["redis://:hidden@localhost", "postgresql://me:hidden@localhost/db"]) {
    const message = await mistake(url);
    expect(message).toMatch(/^--queue must have no password.*GFLOWNET_QUEUE_PASSWORD.*file/);
    expect(message).not.toContain("hidden");
  }
});

test("a queue on another machine needs a key", async () => {
  expect(await mistake("redis://10.0.0.1")).toMatch(
    /^a queue on another machine \(10\.0\.0\.1\) needs a key/,
  );
  expect(await mistake("redis://10.0.0.1", { GFLOWNET_QUEUE_KEY: "short" })).toMatch(
    /at least 16 characters/,
  );
});

test("loopback is known by name and by address", () => {
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) expect(isLoopback({ host })).toBe(true);
  for (const host of ["127.0.0.1.example", "10.0.0.1", "::2", "local"])
    expect(isLoopback({ host })).toBe(false);
});

test.each([
  ["http://localhost", /must name a queue as redis:/],
  ["redis://", /must name a queue as redis:/],
  ["redis://localhost/first", /the database of Redis must be a number, got "first"/],
  ["redis://localhost?timeout=3", /there is no option "timeout"; use sslmode/],
  ["postgresql://localhost?sslmode=prefer", /sslmode must be require, verify-full or disable, got "prefer"/],
  ["postgresql://localhost/%E0%A4%A", /a % in the URL must be followed by two hexadecimal digits/],
])("%s is refused with a sentence", async (url, sentence) => {
  expect(await mistake(url)).toMatch(sentence);
});

test.each<[string, unknown, RegExp]>([
  ["no JSON", "redis://localhost", /must be a JSON object with the texts url, password, key, namespace: /],
  ["a list", [], /must be a JSON object/],
  ["no URL", { password: "x" }, /must have a `url`, such as redis:/],
  ["an unknown key", { url: "redis://localhost", passwort: "x" }, /"passwort" is not one of them or no text/],
  ["a number", { url: "redis://localhost", key: 3 }, /"key" is not one of them or no text/],
  [
    "a bad namespace",
    { url: "redis://localhost", namespace: "A;DROP" },
    /the namespace of the queue must have/,
  ],
  ["a huge file", " ".repeat(70_000), /has 70000 bytes; a file of a queue has a few lines/],
])("a file with %s is refused with a sentence", async (_, content, sentence) => {
  expect(await mistake(file(content))).toMatch(sentence);
});

test("a file that others can read is warned about", async () => {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  await queueAddress(file({ url: "redis://localhost" }), {}, warn);
  expect(warnings).toEqual([]);
  const open = file({ url: "redis://localhost" }, 0o644);
  await queueAddress(open, {}, warn);
  expect(warnings).toEqual([`${open} can be read by other users of this machine; protect it with chmod 600`]);
});

test("the text of an address has no secrets", async () => {
  const address = await queueAddress(file({ url: "rediss://me:hidden@[::1]:7000/2" }), {
    GFLOWNET_QUEUE_KEY: KEY,
  });
  expect(addressText(address)).toBe("rediss://[::1]:7000/2");
});
