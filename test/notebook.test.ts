// The notebook of the playground: its cells run in Python with a stand-in for anywidget, which has the interface that the cells use.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ANYWIDGET = `
class AnyWidget:
    def __init__(self, **traits):
        for name, value in traits.items():
            setattr(self, name, value)
`;
const TRAITLETS = `
class Trait:
    def __init__(self, default=None):
        self.default = default
    def tag(self, sync):
        return self.default
def Unicode(default):
    return Trait(default)
def Dict():
    return Trait({})
`;

test("the cells of the notebook run, and a missing module is one sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "gflownet-notebook-"));
  writeFileSync(join(folder, "anywidget.py"), ANYWIDGET);
  writeFileSync(join(folder, "traitlets.py"), TRAITLETS);
  const { cells } = JSON.parse(readFileSync("examples/notebook/playground.ipynb", "utf8"));
  const code = cells
    .filter(({ cell_type }: { cell_type: string }) => cell_type === "code")
    .map(({ source }: { source: readonly string[] }) => source.join(""));
  const program = join(folder, "cells.py");
  writeFileSync(program, [...code, "print(widget._esm, widget.settings, widget.result)"].join("\n"));
  const run = () =>
    spawnSync("python3", [program], {
      cwd: folder,
      encoding: "utf8",
      env: {
        ...process.env,
        PYTHONPATH: `${folder}:${resolve("examples/notebook")}`,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
  expect(run().stderr).toContain(
    "playground/widget.js is missing; write it with `gflownet playground --out playground`",
  );
  mkdirSync(join(folder, "playground"));
  writeFileSync(join(folder, "playground/widget.js"), "export default {};");
  expect(run()).toMatchObject({
    stderr: "",
    stdout: "export default {}; problem=hypergrid&stick=0.25&objective=kl {}\n",
  });
  rmSync(folder, { recursive: true });
});
