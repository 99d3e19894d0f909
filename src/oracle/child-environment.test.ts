// Tests of the environment of child processes: what programs need is there, and nothing that may hold a secret.

import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";

test("variables that programs need are passed on", () => {
  const needed = {
    PATH: "/bin",
    HOME: "/root",
    LC_ALL: "C",
    R_LIBS: "/r",
    R_HOME: "/usr/lib/R",
    OMP_NUM_THREADS: "1",
  };
  expect(childEnvironment(needed)).toEqual({ ...needed, PYTHONUNBUFFERED: "1" });
});

test("addresses of brokers, passwords, keys, tokens and options of Node are not passed on", () => {
  const secret = {
    ...{ GFLOWNET_QUEUE_PASSWORD: "a", GFLOWNET_QUEUE_KEY: "b", PGPASSWORD: "c", DATABASE_URL: "d" },
    ...{
      REDIS_URL: "redis://:pw@host",
      REDISCLI_AUTH: "f",
      RABBIT: "g",
      NODE_AUTH_TOKEN: "h",
      NODE_OPTIONS: "--inspect",
    },
    ...{ CONDA_CHANNEL: "https://me:pw@host/conda", R_SESSION: "i", XDG_TOKEN: "j" },
  };
  expect(childEnvironment(secret)).toEqual({ PYTHONUNBUFFERED: "1" });
});

test("what the user adds is there, whatever its name", () => {
  expect(childEnvironment({}, { API_KEY: "mine" })).toEqual({ PYTHONUNBUFFERED: "1", API_KEY: "mine" });
});
