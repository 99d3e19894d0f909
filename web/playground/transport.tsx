// Starts, pauses and follows the training; says what the engine does and what went wrong.

import { formatCount, shortNumber } from "../../src/report/text-format.ts";
import { ErrorMessage } from "../components/parts.tsx";
import { ENGINE_BYTES } from "./engine-file.ts";
import { usePlayground } from "./store.ts";
import { megabytes } from "./texts.ts";

export function Transport() {
  const playground = usePlayground();
  const { state, progress, settings, problem, issues, failure } = playground;
  const { iterations } = settings.value;
  const { iteration, perSecond } = progress.value;
  const now = state.value;
  return (
    <section class="card stack" aria-label="Training">
      <div class="line">
        {now === "training" || now === "starting" ? (
          <button
            type="button"
            class="primary"
            onClick={playground.pause}
            disabled={now === "starting"}
            data-test="pause"
          >
            {now === "starting" ? "Starting …" : "Pause"}
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            onClick={now === "paused" ? playground.continue : playground.train}
            disabled={problem.value === null}
            data-test="train"
          >
            {now === "paused" ? "Continue" : now === "finished" ? "Train again" : "Train"}
          </button>
        )}
        {now === "paused" && (
          <button type="button" onClick={playground.train}>
            Start anew
          </button>
        )}
        <SaveButton />
        <progress value={iteration} max={iterations} aria-label="Progress of the training" />
        <span class="number" data-test="iteration" data-iteration={iteration} data-state={now}>
          {formatCount(iteration)} of {formatCount(iterations)} iterations
          {perSecond !== null && now !== "idle" && ` · ${shortNumber(perSecond)} per second`}
        </span>
      </div>
      {problem.value !== null && (
        <p class="small" data-test="label">
          {problem.value.label}: {formatCount(problem.value.objects)} objects,{" "}
          {formatCount(problem.value.states)} states.
        </p>
      )}
      <EngineStatus />
      <p class="hidden-text" role="status">
        {SPOKEN[now]}
      </p>
      {issues.value.length > 0 && (
        <div class="message warn" role="alert" data-test="issues">
          {problem.value === null
            ? "This makes no problem to train on:"
            : "Not everything in the address could be used:"}
          <ul class="plain-list">
            {issues.value.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path !== "" && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {failure.value !== null && <ErrorMessage>{failure.value}</ErrorMessage>}
    </section>
  );
}

function SaveButton() {
  const { state, progress, save } = usePlayground();
  const hasResult = progress.value.iteration > 0 && state.value !== "idle" && state.value !== "starting";
  return (
    <button
      type="button"
      onClick={save}
      disabled={!hasResult}
      data-test="save"
      title="Saves the training as a file; `gflownet import` makes a run of it"
    >
      Save result
    </button>
  );
}

/** What a screen reader says when the state changes. */
const SPOKEN = {
  idle: "",
  starting: "The training starts.",
  training: "Training.",
  paused: "The training is paused.",
  finished: "The training has ended.",
} as const;

function EngineStatus() {
  const { engine, started } = usePlayground();
  const size = megabytes(ENGINE_BYTES);
  const now = engine.value;
  return (
    <p
      class="small faint"
      data-test="engine"
      data-engine={now.state}
      data-offline={now.state === "ready" && now.isOffline}
    >
      {now.state === "waiting" && `The engine (${size}) is loaded after the first picture.`}
      {now.state === "loading" && `Loading the engine: ${Math.round(100 * now.share)} % of ${size} …`}
      {now.state === "ready" &&
        (started.value === null
          ? `The engine (${size}) is loaded. Everything is computed in this page; nothing is sent anywhere.${now.isOffline ? " The page now works without a network, too." : ""}`
          : `${formatCount(started.value.parameters)} parameters, trained in this page; nothing is sent anywhere.`)}
      {now.state === "missing" &&
        `${now.problem}. Trainings run on a slower engine, where the browser has what that needs.`}
    </p>
  );
}
