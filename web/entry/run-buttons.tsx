// Stops and resumes a run, if the server allows it.

import { useSignal } from "@preact/signals";
import type { Entry } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { ErrorMessage } from "../components/parts.tsx";

export function RunButtons({ entry }: { readonly entry: Entry }) {
  const app = useApp();
  const problem = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  // The list says whether runs may be controlled.
  const control = app.list.value?.allowsTraining ? app.source.live?.control : null;
  if (!control || entry.kind !== "run") return null;
  const act = async (command: (id: string) => Promise<void>) => {
    problem.value = null;
    isBusy.value = true;
    await command(entry.id).catch((error: Error) => {
      problem.value = error.message;
    });
    isBusy.value = false;
  };
  return (
    <>
      {entry.state === "running" && (
        <button type="button" disabled={isBusy.value} onClick={() => act(control.stop)} data-test="stop">
          Stop
        </button>
      )}
      {entry.state === "interrupted" && (
        <button type="button" disabled={isBusy.value} onClick={() => act(control.resume)} data-test="resume">
          Resume
        </button>
      )}
      {problem.value !== null && <ErrorMessage>{problem.value}</ErrorMessage>}
    </>
  );
}
