// Error classes of the engine. Every message names the program, the violated rule and the offending value.

/** Thrown if a function cannot be traced, because of an unsupported operation or mismatched shapes or types. */
export class TraceError extends TypeError {
  override readonly name: string = "TraceError";
}

/** Thrown if a program is called with missing, unknown, wrongly shaped or non-finite inputs, or at a wrong time. */
export class InputError extends TypeError {
  override readonly name: string = "InputError";
}

/** Thrown if an output that must be finite, usually the loss, is NaN or infinite. */
export class NonFiniteError extends Error {
  override readonly name: string = "NonFiniteError";
  /** Names of the outputs that were not finite. */
  readonly outputs: readonly string[];

  constructor(program: string, outputs: readonly string[], call: number) {
    super(
      `${program}: ${outputs.join(" and ")} ${outputs.length > 1 ? "are" : "is"} not finite in call ${call}; ` +
        "the program keeps the state of the previous call. Lower the learning rate or clip the gradient.",
    );
    this.outputs = outputs;
  }
}

/** Thrown if the name of an engine is unknown, or if the engine cannot run on this machine. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/** Thrown if a program needs more memory than is free on this machine. */
export class MemoryError extends RangeError {
  override readonly name: string = "MemoryError";
}

/** Thrown if a model file is damaged, or if another program wrote it. */
export class ModelFileError extends Error {
  override readonly name: string = "ModelFileError";
}
