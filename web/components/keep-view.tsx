// Keeps a view: as a link, and as a file that needs no server.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useApp } from "../app.ts";
import { saveFile } from "../download.ts";
import { hashOf } from "../url-state.ts";
import { ErrorMessage } from "./parts.tsx";

export function KeepView() {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const isCopied = useSignal(false);
  const isSaving = useSignal(false);
  const problem = useSignal<string | null>(null);
  const { page, entry, selected } = app.state.value;
  const list = app.list.value;
  const shown = page === "entry" && entry !== null ? [entry] : selected;
  // A comparison brings its experiments and its figures.
  const entries = shown.filter((id) => list?.entries.some((entry) => entry.id === id));
  const folders = [...new Set(shown.map((id) => `${list?.folder ?? "."}/${id.split("#")[0]}`))];
  const save = async () => {
    problem.value = null;
    isSaving.value = true;
    try {
      saveFile("report.html", await app.source.live!.report(entries, hashOf(app.state.peek())));
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isSaving.value = false;
    }
  };
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    isCopied.value = true;
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isCopied.value = false;
          dialog.current?.showModal();
        }}
        data-test="keep-view"
      >
        Keep this view
      </button>
      <dialog ref={dialog} aria-labelledby="keep-view-title">
        <div class="stack">
          <h2 id="keep-view-title">Keep this view</h2>
          <p>
            The address of this page holds everything that it shows: selection, metric, axis, zoom and the
            open view.
          </p>
          <div class="line">
            <button type="button" class="primary" onClick={copy}>
              Copy link
            </button>
            <span role="status">{isCopied.value ? "Copied." : ""}</span>
          </div>
          {entries.length === 0 ? (
            <p class="faint">To save a file, select entries in the list or open one.</p>
          ) : (
            <>
              <p>
                As one file that opens without a server and can be printed, with the data of{" "}
                {entries.length === 1 ? "this entry" : `these ${entries.length} entries`}:
              </p>
              <div class="line">
                <button type="button" onClick={save} disabled={isSaving.value} data-test="download-report">
                  Save report
                </button>
                <span role="status">{isSaving.value ? "The report is being made …" : ""}</span>
              </div>
              {problem.value !== null && <ErrorMessage>{problem.value}</ErrorMessage>}
              <p class="small faint">
                or on the command line: <code>gflownet report {folders.join(" ")}</code>
              </p>
            </>
          )}
          <form method="dialog" class="line">
            <button type="submit">Close</button>
          </form>
        </div>
      </dialog>
    </>
  );
}
