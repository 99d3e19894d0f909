// Error classes of the engine. Every message names the program, the violated rule and the offending value.

/** A function could not be traced: unsupported operation, mismatched shapes or types. */
export class TraceError extends TypeError {
  override readonly name: string = "TraceError";
}

/** A program was called with missing, unknown, wrongly shaped or non-finite inputs, or at a wrong time. */
export class InputError extends TypeError {
  override readonly name: string = "InputError";
}

/** An output that must be finite, usually the loss, is NaN or infinite. */
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

/** The engine name is unknown, or the engine cannot run on this machine. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/** A program needs more memory than is free on this machine. */
export class MemoryError extends RangeError {
  override readonly name: string = "MemoryError";
}

/** A model file is damaged, or another program wrote it. */
export class ModelFileError extends Error {
  override readonly name: string = "ModelFileError";
}
