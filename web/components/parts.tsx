// Small parts that all pages use: badges, states, values, messages and controls.

import type { ComponentChildren } from "preact";
import { shortNumber } from "../../src/report/text-format.ts";
import type { EntryState, MetricInfo } from "../../src/views/page-data.ts";
import type { Loaded } from "../use-loaded.ts";

type Source = MetricInfo["source"];

const SOURCES: Readonly<Record<Source, { readonly mark: string; readonly title: string }>> = {
  exact: { mark: "=", title: "exact: computed over all objects, without sampling error" },
  sampled: { mark: "≈", title: "sampled: estimated from samples of the policy" },
  batch: { mark: "∼", title: "batch: from the trajectories of a training batch" },
  counted: { mark: "#", title: "counted" },
};

/** Says whether a number is exact or sampled. `isShort` shows a sign instead of the word, for tables. */
export function Badge({ source, isShort = false }: { readonly source: Source; readonly isShort?: boolean }) {
  const { mark, title } = SOURCES[source];
  return isShort ? (
    <span class={`badge mark ${source}`} title={title} data-test="badge">
      <span aria-hidden="true">{mark}</span>
      <span class="hidden-text">{source}</span>
    </span>
  ) : (
    <span class={`badge ${source}`} title={title} data-test="badge">
      {source}
    </span>
  );
}

/** What the signs of short badges mean. */
export function BadgeKey() {
  return (
    <p class="small faint">
      <Badge source="exact" isShort /> exact, over all objects · <Badge source="sampled" isShort /> sampled ·{" "}
      <Badge source="batch" isShort /> from a training batch · <Badge source="counted" isShort /> counted
    </p>
  );
}

/** A number with its badge; a dash if there is none. */
export function Value({
  value,
  source,
  deviation,
  isShort = true,
}: {
  readonly value: number | null | undefined;
  readonly source: Source;
  /** Standard deviation over seeds. */
  readonly deviation?: number | null;
  readonly isShort?: boolean;
}) {
  if (value === null || value === undefined) return <span class="faint">–</span>;
  return (
    <span class="number">
      <span title={String(value)}>{shortNumber(value)}</span>
      {deviation !== undefined && deviation !== null && (
        <span class="deviation"> ± {shortNumber(deviation)}</span>
      )}{" "}
      <Badge source={source} isShort={isShort} />
    </span>
  );
}

export function StateMark({ state }: { readonly state: EntryState }) {
  return <span class={`state ${state}`}>{state}</span>;
}

export function ErrorMessage({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="message bad" role="alert" data-test="error">
      {children}
    </div>
  );
}

/** The content once it is loaded; a message before that, and if it failed. */
export function WhenLoaded<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      {loaded.error !== null && <ErrorMessage>{loaded.error}</ErrorMessage>}
      {loaded.value !== null && children(loaded.value)}
      {loaded.value === null && loaded.isLoading && (
        <p class="loading" role="status">
          Loading …
        </p>
      )}
    </>
  );
}

/** A choice of one among a few, as buttons side by side. */
export function Segments<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <fieldset class="segments controls" aria-label={label}>
      {options.map(([each, text]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** A choice of one among many, with its label. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string, isDisabled?: boolean])[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <label class="field controls">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([each, text, isDisabled = false]) => (
          <option key={each} value={each} disabled={isDisabled} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Check({
  label,
  isChecked,
  onChange,
}: {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="field controls">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** A number between limits, as a slider with its value. */
export function Slider({
  label,
  value,
  min,
  max,
  step = 1,
  text = String(value),
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number | "any";
  readonly text?: string;
  readonly onChange: (value: number) => void;
}) {
  return (
    <label class="field controls slider">
      <span>{label}</span>
      <input
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={text}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <output class="number">{text}</output>
    </label>
  );
}
