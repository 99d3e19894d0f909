// The guided tour, above the playground: one step at a time, with what to do and what was seen.

import { useEffect, useRef } from "preact/hooks";
import { shortNumber } from "../../src/report/text-format.ts";
import { Range } from "./controls.tsx";
import { openPage, page } from "./pages.ts";
import { usePlayground } from "./store.ts";
import { TOUR } from "./tour-steps.ts";

export function Tour() {
  const { settings, problem, state, curves, change, open, seen } = usePlayground();
  const heading = useRef<HTMLHeadingElement>(null);
  const index = page.value.step;
  const step = TOUR[index];
  useEffect(() => open(step.settings), [index]);
  // Those who listen to the page hear the new step.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [index]);
  const now = {
    settings: settings.value,
    problem: problem.value,
    state: state.value,
    last: curves.value?.evaluations.at(-1),
  };
  const isSeen = seen.value.has(index) || step.isSeen(now);
  useEffect(() => {
    if (isSeen) seen.value = new Set([...seen.value, index]);
  }, [isSeen, index]);
  return (
    <section class="card stack tour" aria-labelledby="tour-title" data-test="tour" data-step={index + 1}>
      <ol class="tour-steps" aria-label="Steps">
        {TOUR.map(({ title }, i) => (
          <li key={title}>
            <button
              type="button"
              aria-current={i === index ? "step" : undefined}
              onClick={() => openPage("tour", i)}
              title={title}
            >
              {i + 1}
              {seen.value.has(i) && <span aria-hidden="true"> ✓</span>}
              <span class="hidden-text">
                : {title}
                {seen.value.has(i) ? ", seen" : ""}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <h2 id="tour-title" ref={heading} tabIndex={-1}>
        {index + 1}. {step.title}
      </h2>
      {step.paragraphs.map((text) => (
        <p key={text} class="prose">
          {text}
        </p>
      ))}
      {step.hasNoise && (
        <div class="tour-noise">
          <Range
            label="Noise"
            value={settings.value.stick}
            {...{ min: 0, max: 0.95, step: 0.05 }}
            text={`${settings.value.stick.toFixed(2)}: limit ${limitText(problem.value?.limit.tv)}`}
            onChange={(stick) => change({ stick })}
            test="tour-stick"
            isStrong
          />
        </div>
      )}
      <p>
        <strong>{step.task}</strong>
      </p>
      <div role="status">
        {isSeen && (
          <p class="message good" data-test="seen">
            ✓ {step.conclusion}
          </p>
        )}
      </div>
      <div class="line">
        <button type="button" disabled={index === 0} onClick={() => openPage("tour", index - 1)}>
          Back
        </button>
        {index + 1 < TOUR.length ? (
          <button
            type="button"
            class={isSeen ? "primary" : ""}
            onClick={() => openPage("tour", index + 1)}
            data-test="next"
          >
            Next step
          </button>
        ) : (
          <button type="button" class={isSeen ? "primary" : ""} onClick={() => openPage("play")}>
            To the playground
          </button>
        )}
      </div>
    </section>
  );
}

function limitText(tv: number | undefined): string {
  return tv === undefined ? "–" : shortNumber(tv < 1e-6 ? 0 : tv);
}
