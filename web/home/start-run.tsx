// Starts a run, if the server allows it.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useApp } from "../app.ts";
import { ErrorMessage } from "../components/parts.tsx";
import type { RunControl } from "../data-source.ts";
import { openEntry } from "../links.ts";
import { settingsOf } from "./settings-text.ts";

export function StartRun({ control }: { readonly control: RunControl }) {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal("task: hypergrid\niterations: 2000\nseed: 1\n");
  const problem = useSignal<string | null>(null);
  const isStarting = useSignal(false);
  const start = async (event: Event) => {
    event.preventDefault();
    problem.value = null;
    isStarting.value = true;
    try {
      const id = await control.train(settingsOf(text.peek()));
      dialog.current?.close();
      app.go(openEntry(id));
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isStarting.value = false;
    }
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => dialog.current?.showModal()} data-test="start-run">
        Start a run
      </button>
      <dialog ref={dialog} aria-labelledby="start-run-title">
        <form class="stack" onSubmit={start}>
          <h2 id="start-run-title">Start a run</h2>
          <label class="stack">
            <span>
              Settings, one per line, with the names of <code>config.json</code>. A setting that is not given
              has its default.
            </span>
            <textarea
              rows={8}
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
          {problem.value !== null && <ErrorMessage>{problem.value}</ErrorMessage>}
          <div class="line">
            <button type="submit" class="primary" disabled={isStarting.value}>
              Start
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
