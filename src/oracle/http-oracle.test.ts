// HTTP services as oracles, with real servers on loopback.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { type HttpOracleOptions, httpOracle } from "./http-oracle.ts";
import { DeadOracleError } from "./oracle.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/score`;
}

type Responder = (strings: readonly string[], response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers its first requests by `responders`, and all others as it should. */
async function service(...responders: Responder[]): Promise<{ url: string; asked: string[][] }> {
  const asked: string[][] = [];
  const url = await serve(async (request, response) => {
    const { strings } = JSON.parse(await text(request)) as { strings: string[] };
    const respond = responders[asked.length] ?? respondWell;
    asked.push(strings);
    respond(strings, response, request);
  });
  return { url, asked };
}

const scoreOf = (string: string) => [...string].filter((letter) => letter === "A").length;
const answers = (strings: readonly string[]) => strings.map((string) => ({ string, score: scoreOf(string) }));
const respondWell: Responder = (strings, response) =>
  response.end(JSON.stringify({ answers: answers(strings).reverse() }));
const withStatus =
  (status: number, body = ""): Responder =>
  (_, response) => {
    response.writeHead(status);
    response.end(body);
  };

const STRINGS = ["A", "CAA", "AAA"];
const SCORES = [{ score: 1 }, { score: 2 }, { score: 3 }];
const open = (url: string, options: Partial<HttpOracleOptions> = {}) =>
  httpOracle({ url, retries: 2, pause: 1, timeLimit: 10_000, ...options });

test("answers are matched by their strings, in any order", async () => {
  const { url, asked } = await service();
  expect(await open(url).score(STRINGS)).toEqual(SCORES);
  expect(asked).toEqual([STRINGS]);
});

describe("a request is repeated after", () => {
  test.each<[string, Responder]>([
    ["status 500", withStatus(500, "out of memory")],
    ["status 429", withStatus(429)],
    ["truncated JSON", (_, response) => response.end('{"answers": [{"string": "A", "sc')],
    [
      "an answer that is cut off",
      (_, response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write('{"answers"', () => response.destroy());
      },
    ],
    [
      "an answer for another string",
      (_, response) =>
        response.end(
          JSON.stringify({
            answers: [
              { string: "A", score: 9 },
              { string: "G", score: 9 },
            ],
          }),
        ),
    ],
    [
      "two answers for one string",
      (_, response) =>
        response.end(
          JSON.stringify({
            answers: [
              { string: "A", score: 9 },
              { string: "A", score: 9 },
            ],
          }),
        ),
    ],
    ["scores without strings", (_, response) => response.end(JSON.stringify({ answers: [9, 9, 9] }))],
    ["a list instead of an object", (strings, response) => response.end(JSON.stringify(answers(strings)))],
    ["a closed connection", (_, response) => response.destroy()],
  ])("%s", async (_, responder) => {
    const { url, asked } = await service(responder);
    expect(await open(url).score(STRINGS)).toEqual(SCORES);
    expect(asked).toEqual([STRINGS, STRINGS]);
  });
});

test("strings that got no answer are asked again, the others are not", async () => {
  const { url, asked } = await service((strings, response) =>
    response.end(JSON.stringify({ answers: answers(strings.slice(1)) })),
  );
  expect(await open(url).score(STRINGS)).toEqual(SCORES);
  expect(asked).toEqual([STRINGS, ["A"]]);
});

describe("after the last attempt every string has failed:", () => {
  test.each<[string, Responder, Partial<HttpOracleOptions>, string]>([
    ["status 503", withStatus(503, "busy\nmore"), {}, 'answered with status 503 and "busy"'],
    [
      "an answer that never ends",
      (_, response) => {
        const endless = setInterval(() => response.write("x".repeat(1024)), 1);
        response.on("close", () => clearInterval(endless));
      },
      { maxBytes: 10_000 },
      "must have at most 10000 bytes, got more",
    ],
    ["text", (_, response) => response.end("hello"), {}, 'an answer must be JSON, got "hello"'],
  ])("%s", async (_, responder, options, message) => {
    const { url } = await service(...Array<Responder>(4).fill(responder));
    const result = await open(url, { retries: 0, ...options }).score(["A", "AA"]);
    for (const answer of result) expect(answer).toEqual({ failure: expect.stringContaining(message) });
  });

  test("a slow answer to one string", async () => {
    const { url } = await service(() => {});
    expect(await open(url, { retries: 0, timeLimit: 60 }).score(["A"])).toEqual([
      { failure: expect.stringContaining("gave no complete answer within 0.06 s") },
    ]);
  });

  test("no server", async () => {
    const oracle = open("http://127.0.0.1:9/score", { retries: 0 });
    expect(await oracle.score(["A"])).toEqual([
      { failure: expect.stringContaining("http://127.0.0.1:9/score cannot be reached:") },
    ]);
  });
});

describe("a service that has never answered is given up", () => {
  test("after three time limits", async () => {
    const { url, asked } = await service(...Array<Responder>(9).fill(() => {}));
    const oracle = open(url, { retries: 4, timeLimit: 60 });
    await expect(oracle.score(STRINGS)).rejects.toThrow(
      /score has never given a usable answer, so it is not asked again: .*gave no complete answer within 0\.06 s/,
    );
    await expect(oracle.score(["C"])).rejects.toThrow(DeadOracleError);
    expect(asked).toEqual([STRINGS, ["CAA"], ["AAA"]]);
  });

  test("after three batches, also with a final status", async () => {
    const responders = Array<Responder>(9).fill(withStatus(404, "no such page"));
    const oracle = open((await service(...responders)).url);
    for (const string of ["A", "AA"]) await expect(oracle.score([string])).rejects.not.toThrow("never given");
    await expect(oracle.score(["C"])).rejects.toThrow(
      /has never given a usable answer, so it is not asked again: .*answered with status 404 and "no such page"/,
    );
  });

  test("but not if one of its first answers came", async () => {
    const hang: Responder = () => {};
    const { url } = await service(hang, hang, respondWell, respondWell, hang);
    const oracle = open(url, { retries: 4, timeLimit: 100 });
    expect(await oracle.score(STRINGS)).toEqual(SCORES);
    expect(await oracle.score(["AA"])).toEqual([{ score: 2 }]);
  });
});

test("a service may say why a string has no score, and NaN is a failure of its string", async () => {
  const { url } = await service((_, response) =>
    response.end('{"answers": [{"string": "A", "error": "too short"}, {"string": "B", "score": NaN}]}'),
  );
  expect(await open(url).score(["A", "B"])).toEqual([
    { failure: "too short" },
    { failure: "its score must be a finite number, got null" },
  ]);
});

test.each([401, 403, 404, 405])("status %i is final", async (status) => {
  const { url, asked } = await service(withStatus(status));
  await expect(open(url).score(["A"])).rejects.toThrow(`answered with status ${status}`);
  expect(asked).toHaveLength(1);
});

describe("a redirect", () => {
  const redirectTo =
    (location: string, status = 307): Responder =>
    (_, response) => {
      response.writeHead(status, { location });
      response.end();
    };

  test("within the host is followed, and the strings are sent again", async () => {
    const { url, asked } = await service(redirectTo("/elsewhere"), redirectTo("/again", 301));
    expect(await open(url).score(STRINGS)).toEqual(SCORES);
    expect(asked).toEqual([STRINGS, STRINGS, STRINGS]);
  });

  test("to another host is refused, and nothing is sent there", async () => {
    const other = await service();
    const { url, asked } = await service(redirectTo(other.url));
    await expect(open(url, { headers: { authorization: "secret" } }).score(["A"])).rejects.toThrow(
      `redirects to ${new URL(other.url).origin}, which is refused`,
    );
    expect([asked.length, other.asked.length]).toEqual([1, 0]);
  });

  test("without an end is refused", async () => {
    const { url } = await service(...Array<Responder>(10).fill(redirectTo("/score")));
    await expect(open(url).score(["A"])).rejects.toThrow("redirects more than 5 times");
  });
});

test("no more requests run at once than permitted", async () => {
  let [running, most] = [0, 0];
  const url = await serve(async (request, response) => {
    const { strings } = JSON.parse(await text(request)) as { strings: string[] };
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 10));
    running--;
    response.end(JSON.stringify({ answers: answers(strings) }));
  });
  const oracle = open(url, { concurrency: 2 });
  await Promise.all(["A", "AA", "AAA", "C", "CA"].map((string) => oracle.score([string])));
  expect(most).toBe(2);
});

test("no more requests start in a second than permitted", async () => {
  const starts: number[] = [];
  const note: Responder = (strings, response, request) => {
    starts.push(performance.now());
    respondWell(strings, response, request);
  };
  const { url } = await service(note, note, note);
  const oracle = open(url, { requestsPerSecond: 20 });
  const began = performance.now();
  await Promise.all(["A", "AA", "AAA"].map((string) => oracle.score([string])));
  // The requests start 50 ms apart, and timers may fire a millisecond early. A busy machine can only delay them.
  expect(starts[2] - began).toBeGreaterThan(95);
});

test("a request ends when it is aborted or the oracle is closed", async () => {
  const silent = await service(
    () => {},
    () => {},
  );
  const controller = new AbortController();
  const aborted = open(silent.url).score(["A"], controller.signal);
  setTimeout(() => controller.abort(), 10);
  await expect(aborted).rejects.toThrow("aborted");
  const oracle = open(silent.url);
  setTimeout(() => void oracle.close(), 10);
  await expect(oracle.score(["A"])).rejects.toThrow("was closed");
});

describe("options are refused:", () => {
  test.each<[string, Partial<HttpOracleOptions> & { url: string }, string]>([
    ["another protocol", { url: "file:///etc/passwd" }, "must begin with http:// or https://"],
    ["no URL", { url: "score" }, 'must begin with http:// or https://, got "score"'],
    ["a password", { url: "http://me:pw@host/" }, "the URL of host must have no user name or password"],
    ["no batch", { url: "http://host", batch: 0 }, "batch: must be a whole number of at least 1, got 0"],
  ])("%s", (_, options, message) => {
    expect(() => httpOracle(options)).toThrow(message);
  });
});
