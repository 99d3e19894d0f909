// The visitor's own problem: a pasted table, a formula or a picture. Nothing of it leaves the page or enters the address, but the
// formula. Pasted text is shown as text and parsed, never run.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { exampleData } from "../../src/playground/own-data.ts";
import { formatCount } from "../../src/report/text-format.ts";
import { Check } from "../components/parts.tsx";
import { readPicture } from "./read-picture.ts";
import { usePlayground } from "./store.ts";

/** Characters of a table that the field shows; of a longer one it shows the beginning. */
const MOST_SHOWN = 100_000;
/** Characters that are taken at all; the reader of tables has the same limit. */
const MOST_CHARACTERS = 10 * 2 ** 20;

export function TableInput() {
  const { table, setTable, settings, change } = usePlayground();
  const refusal = useSignal<string | null>(null);
  const id = useId();
  const shown = table.value ?? exampleData().table;
  const isLong = shown.text.length > MOST_SHOWN;
  const take = (text: string, name: string) => {
    refusal.value = null;
    if (text.length <= MOST_CHARACTERS) setTable({ text, name });
    else refusal.value = tooLarge(name, text.length);
  };
  const takeFile = async (file: File) => {
    // The size is known before anything is read.
    if (file.size > MOST_CHARACTERS) refusal.value = tooLarge(file.name, file.size);
    else take(await file.text(), file.name);
  };
  return (
    <FileDrop onFile={(file) => void takeFile(file)}>
      <label for={id}>Strings with scores</label>
      <textarea
        id={id}
        class="wide-field"
        data-test="table"
        rows={7}
        spellcheck={false}
        readOnly={isLong}
        value={isLong ? `${shown.text.slice(0, 2000)}\n…` : shown.text}
        aria-describedby={`${id}-help`}
        onPaste={(event) => {
          // A long text does not enter the field, which would take seconds to show it.
          const text = event.clipboardData?.getData("text/plain") ?? "";
          if (text.length <= MOST_SHOWN && !isLong) return;
          event.preventDefault();
          take(text, "the pasted table");
        }}
        onChange={(event) => {
          if (!isLong) take(event.currentTarget.value, "the pasted table");
        }}
      />
      <span id={`${id}-help`} class="small faint">
        {table.value === null ? "An example; paste your own over it. " : ""}
        Two columns, separated by commas, tabs or spaces: strings and scores of at least 0.
        {isLong && ` ${formatCount(shown.text.length)} characters; the beginning is shown.`}
      </span>
      {refusal.value !== null && (
        <p class="message bad" role="alert" data-test="refusal">
          {refusal.value}
        </p>
      )}
      <div class="line">
        <FileButton
          label="Open a file"
          accept=".csv,.tsv,.txt,text/*"
          onFile={(file) => void takeFile(file)}
        />
        {table.value !== null && (
          <button type="button" onClick={() => setTable(null)}>
            Example
          </button>
        )}
      </div>
      <Missing />
      <Check
        label="Also shorter strings"
        isChecked={settings.value.variable}
        onChange={(variable) => change({ variable })}
      />
    </FileDrop>
  );
}

function Missing() {
  const { settings, change } = usePlayground();
  return (
    <label class="setting whole">
      Score of strings that are missing
      <input
        type="number"
        min="0"
        step="any"
        value={settings.value.missing}
        onChange={({ currentTarget }) => {
          const value = currentTarget.valueAsNumber;
          if (value >= 0 && value < Number.POSITIVE_INFINITY) change({ missing: value });
          else currentTarget.value = String(settings.value.missing);
        }}
      />
    </label>
  );
}

export function FormulaInput() {
  const { settings, change, issues } = usePlayground();
  const id = useId();
  const problem = issues.value.find(({ path }) => path === "reward");
  return (
    <div class="setting">
      <label for={id}>Reward of a cell</label>
      <textarea
        id={id}
        class="wide-field"
        data-test="formula"
        rows={4}
        maxLength={2000}
        spellcheck={false}
        value={settings.value.reward}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        onInput={(event) => {
          const reward = event.currentTarget.value;
          if (reward.trim() !== "") change({ reward });
        }}
      />
      <span id={`${id}-help`} class="small faint">
        <code>x1</code> and <code>x2</code> go from 0 to 1; <code>i1</code> and <code>i2</code> count cells.
        With <code>+ - * / ^</code>, comparisons, <code>and</code>, <code>or</code>, <code>if(…)</code>,{" "}
        <code>exp</code>, <code>sin</code>, <code>max</code> and others.
      </span>
    </div>
  );
}

export function PictureInput() {
  const { picture, setPicture } = usePlayground();
  const refusal = useSignal<string | null>(null);
  const take = async (file: File) => {
    refusal.value = null;
    try {
      setPicture(await readPicture(file));
    } catch (error) {
      refusal.value = (error as Error).message;
    }
  };
  return (
    <FileDrop onFile={(file) => void take(file)}>
      <span class="small faint" data-test="own-picture">
        {picture.value === null
          ? "An example; open or drop your own, of at most a megapixel. "
          : `${picture.value.name}, ${picture.value.picture.width} × ${picture.value.picture.height} pixels. `}
        Bright parts have a high reward.
      </span>
      <div class="line">
        <FileButton label="Open a picture" accept="image/*" onFile={(file) => void take(file)} />
        {picture.value !== null && (
          <button type="button" onClick={() => setPicture(null)}>
            Example
          </button>
        )}
      </div>
      {refusal.value !== null && (
        <p class="message bad" role="alert" data-test="refusal">
          {refusal.value}
        </p>
      )}
    </FileDrop>
  );
}

/** A setting on which a file can be dropped. */
function FileDrop({
  onFile,
  children,
}: {
  readonly onFile: (file: File) => void;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a field set has no place for what is dropped on it
    <div
      class="setting"
      role="group"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file) onFile(file);
      }}
    >
      {children}
    </div>
  );
}

/** A button that opens a file. */
function FileButton({
  label,
  accept,
  onFile,
}: {
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}) {
  return (
    <label class="button file-button">
      {label}
      <input
        type="file"
        class="hidden-text"
        accept={accept}
        data-test="file"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file may be chosen again after it was changed.
          currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </label>
  );
}

function tooLarge(name: string, size: number): string {
  return `${name} must have at most 10 MB, got ${(size / 2 ** 20).toFixed(1)} MB; train on it with the command line.`;
}
