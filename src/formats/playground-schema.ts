// The JSON Schema of playground files; `npx tsx scripts/playground-schema.ts` writes it to schema/playground.schema.json.

import { PLAYGROUND_EVENTS, PLAYGROUND_FORMAT, PLAYGROUND_VERSION } from "./playground-file.ts";

const BASE64 = { type: "string", contentEncoding: "base64", pattern: "^[A-Za-z0-9+/]*={0,2}$" };

export function playgroundSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Playground file of gflownet",
    description: "The result of a training in the playground, which gflownet import makes a run of.",
    type: "object",
    required: ["format", "version", "config", "checkpoint", "metrics"],
    properties: {
      format: { const: PLAYGROUND_FORMAT },
      version: { const: PLAYGROUND_VERSION },
      config: {
        type: "object",
        description: "The task, its options and the settings of training, as in config.json.",
      },
      data: {
        type: "object",
        description: "The contents of files that options of the task would name, by option.",
        additionalProperties: {
          type: "object",
          required: ["name", "content"],
          properties: { name: { type: "string" }, content: BASE64 },
        },
      },
      checkpoint: { ...BASE64, description: "The state of training, a safetensors file." },
      metrics: {
        type: "array",
        description: "The events of training, as in metrics.jsonl.",
        items: {
          type: "object",
          required: ["kind"],
          properties: { kind: { enum: [...PLAYGROUND_EVENTS] } },
        },
      },
    },
  };
}
