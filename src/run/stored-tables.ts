// The tables of a plain environment as tensors of a task file, and back.

import type { StoredTensor } from "../formats/safetensors.ts";
import { checkEnumeration, type Enumeration } from "../gfn/environment/enumeration.ts";
import type { EnvironmentTables } from "../gfn/environment/tabular-environment.ts";

type Tensors = Readonly<Record<string, StoredTensor>>;

/** Names of all tensors of the tables begin with this. */
const PREFIX = "tables.";

/** Sizes and short lists, as JSON in the metadata of the file. */
interface TablesHeader {
  readonly name: string;
  readonly states: number;
  readonly terminals: number;
  readonly outcomes: number;
  readonly actions: readonly string[];
  readonly widths: readonly number[];
}

export function encodeTables({ name, enumeration, features, objects, actions }: EnvironmentTables): {
  readonly header: string;
  readonly tensors: Tensors;
} {
  const { states, terminals, outcomes, offsets, targets, outcome, probabilities } = enumeration;
  const header: TablesHeader = { name, states, terminals, outcomes, actions, widths: features.widths };
  const texts = new TextEncoder().encode(JSON.stringify(objects));
  const row = (dtype: StoredTensor["dtype"], data: StoredTensor["data"]): StoredTensor => ({
    ...{ dtype, shape: [data.length], data },
  });
  return {
    header: JSON.stringify(header),
    tensors: {
      [`${PREFIX}offsets`]: row("U32", offsets),
      [`${PREFIX}targets`]: row("I32", targets),
      [`${PREFIX}outcome`]: row("I32", Int32Array.from(outcome)),
      [`${PREFIX}probabilities`]: row("F64", probabilities),
      [`${PREFIX}features`]: row("I32", features.values),
      [`${PREFIX}objects`]: row("U8", texts),
    },
  };
}

/** Throws a RangeError that names the first fault: sizes that do not fit, or tables that are not an environment. */
export function decodeTables(header: string, tensors: Tensors): EnvironmentTables {
  const { name, states, terminals, outcomes, actions, widths } = readHeader(header);
  const take = <T>(tensor: string, type: new (...args: never[]) => T, length?: number): T => {
    const data = tensors[PREFIX + tensor]?.data;
    if (!(data instanceof type) || (length !== undefined && data.length !== length)) {
      throw new RangeError(`its tensor ${PREFIX}${tensor} is missing or has another type or length`);
    }
    return data;
  };
  const offsets = take("offsets", Uint32Array, states * actions.length + 1);
  const count = offsets[offsets.length - 1];
  const isAscending = offsets.every((offset, i) => i === 0 || offset >= offsets[i - 1]);
  if (offsets[0] !== 0 || !isAscending) throw new RangeError("its offsets do not ascend from 0");
  const enumeration: Enumeration = {
    ...{ states, terminals, actions: actions.length, outcomes, offsets },
    targets: take("targets", Int32Array, count),
    outcome: Int16Array.from(take("outcome", Int32Array, count)),
    probabilities: take("probabilities", Float64Array, count),
  };
  if (enumeration.outcome.some((outcome) => outcome < 0 || outcome >= outcomes)) {
    throw new RangeError(`an outcome is not in the range from 0 to ${outcomes - 1}`);
  }
  checkEnumeration(name, enumeration);
  const values = take("features", Int32Array, (states + terminals) * widths.length);
  if (values.some((value, i) => value < -1 || value >= widths[i % widths.length])) {
    throw new RangeError("a feature is outside of its block");
  }
  const objects: unknown = JSON.parse(new TextDecoder().decode(take("objects", Uint8Array)));
  if (!isTexts(objects) || objects.length !== terminals || new Set(objects).size !== terminals) {
    throw new RangeError(`its objects must be ${terminals} different texts`);
  }
  return { name, enumeration, features: { widths, values }, objects, actions };
}

function readHeader(text: string): TablesHeader {
  const header = JSON.parse(text) as Partial<TablesHeader> | null;
  const { name, states, terminals, outcomes, actions, widths } = header ?? {};
  const isSize = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0;
  if (
    typeof name === "string" &&
    isSize(states) &&
    isSize(terminals) &&
    isSize(outcomes) &&
    isTexts(actions) &&
    actions.length === outcomes &&
    Array.isArray(widths) &&
    widths.every(isSize)
  ) {
    return { name, states, terminals, outcomes, actions, widths };
  }
  throw new RangeError("its header of tables has wrong sizes");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
