import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findArima, findGfnx, findJax, findPyTorch, findTorchgfn, findViennaRna } from "./python.ts";

let folder: string;

/** A script that behaves like a Python that can import every module, with this version. */
async function python(version: string): Promise<string> {
  const file = join(folder, `python-${version}`);
  await writeFile(file, `#!/bin/sh\necho ${version}\n`);
  await chmod(file, 0o755);
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "python-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test("PyTorch runs with GFLOWNET_PYTHON, by default on one thread", async () => {
  const file = await python("1.2");
  const rival = await findPyTorch("pytorch_training.py", { GFLOWNET_PYTHON: file });
  expect(rival?.version).toBe("1.2");
  const command = rival?.command("training-iteration", 64, 3);
  expect(command).toMatchObject({ file, threads: 1 });
  expect(basename(command?.parameters[0] ?? "")).toBe("pytorch_training.py");
  expect(command?.parameters.slice(1)).toEqual(["training-iteration", "64", "3", "1"]);
});

test("JAX runs with GFLOWNET_JAX_PYTHON, else with GFLOWNET_PYTHON", async () => {
  const both = { GFLOWNET_JAX_PYTHON: await python("2.1"), GFLOWNET_PYTHON: await python("2.2") };
  expect((await findJax("jax_training.py", both))?.version).toBe("2.1");
  const command = (await findJax("jax_training.py", both))?.command("x", 64, 3, { iterationsPerCall: 10 });
  expect(command?.parameters.slice(1)).toEqual(["x", "64", "3", "1", "10"]);
  const one = { ...both, GFLOWNET_JAX_PYTHON: join(folder, "nothing") };
  expect((await findJax("jax_training.py", one))?.version).toBe("2.2");
});

test("gfnx runs with the Python of JAX, and torchgfn with that of PyTorch", async () => {
  const variables = { GFLOWNET_JAX_PYTHON: await python("5.1"), GFLOWNET_PYTHON: await python("5.2") };
  const [gfnx, torchgfn] = [await findGfnx(variables), await findTorchgfn(variables)];
  expect([gfnx?.version, torchgfn?.version]).toEqual(["5.1", "5.2"]);
  const scripts = [gfnx, torchgfn].map((rival) => basename(rival?.command("x", 256, 3).parameters[0] ?? ""));
  expect(scripts).toEqual(["gfnx_training.py", "torchgfn_training.py"]);
});

test("ARIMA models come from statsforecast, else from statsmodels", async () => {
  const both = await python("3.1");
  expect(await findArima({ GFLOWNET_ARIMA_PYTHON: both })).toMatchObject({
    name: "AutoARIMA",
    library: "statsforecast 3.1",
    command: { file: both, threads: 1 },
  });
  const only = join(folder, "python-statsmodels");
  await writeFile(only, '#!/bin/sh\ncase "$2" in *statsmodels*) echo 3.2;; *) exit 1;; esac\n');
  await chmod(only, 0o755);
  const path = process.env.PATH;
  // The python3 of this machine must not be found, since it may have one of the libraries.
  process.env.PATH = folder;
  try {
    expect(await findArima({ GFLOWNET_PYTHON: only })).toMatchObject({
      name: "SARIMA",
      library: "statsmodels 3.2",
    });
    expect(await findArima({})).toBeUndefined();
  } finally {
    process.env.PATH = path;
  }
});

test("ViennaRNA comes from GFLOWNET_PYTHON", async () => {
  const file = await python("4.1");
  expect(await findViennaRna({ GFLOWNET_PYTHON: file })).toEqual({ file, version: "4.1" });
});
