// The vector instructions of this machine that libraries choose their code by, and so the rounding of results.

import { readFileSync } from "node:fs";
import { arch, cpus } from "node:os";

/** Those that numerical libraries distinguish. */
const RELEVANT = [
  "sse4_2",
  "avx",
  "avx2",
  "fma",
  "avx512f",
  "avx512_vnni",
  "avx512_bf16",
  "amx_tile",
  "asimd",
  "sve",
];

let known: string | undefined;

/** Such as `x64 sse4_2 avx avx2 fma`. Where the system lists no flags, the model of the processor stands for them. */
export function instructionSet(): string {
  known ??= [arch(), ...(flagsOf(cpuInfo()) ?? [cpus()[0]?.model ?? "unknown"])].join(" ");
  return known;
}

/** The relevant flags of the first processor in the text of /proc/cpuinfo; null if it lists none. */
export function flagsOf(text: string): string[] | null {
  const line = /^(?:flags|Features)\s*:(.*)$/m.exec(text);
  if (!line) return null;
  const flags = new Set(line[1].trim().split(/\s+/));
  return RELEVANT.filter((flag) => flags.has(flag));
}

function cpuInfo(): string {
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return ""; // not Linux
  }
}
