// Errors of the engine. Every message says where, which rule, and what was found.

/** A program could not be built: unknown operation, mismatched shapes or types. */
export class TraceError extends TypeError {
  override readonly name: string = "TraceError";
}

/** A program was called with missing, surplus, misshapen or non-finite inputs. */
export class InputError extends TypeError {
  override readonly name: string = "InputError";
}

/** A watched output (the loss, usually) came out NaN or infinite. */
export class NonFiniteError extends Error {
  override readonly name: string = "NonFiniteError";
  /** Names of the outputs that were not finite. */
  readonly outputs: readonly string[];

  constructor(program: string, outputs: readonly string[], call: number) {
    super(
      `${program}: ${outputs.join(" and ")} ${outputs.length > 1 ? "are" : "is"} not finite in call ${call}; ` +
        "the state of the call before it is kept. Lower the learning rate or clip the gradient.",
    );
    this.outputs = outputs;
  }
}

/** An engine is unknown or cannot run on this machine. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/** A program needs more memory than the machine has. */
export class MemoryError extends RangeError {
  override readonly name: string = "MemoryError";
}

/** A model file is damaged or was not written by this library. */
export class ModelFileError extends Error {
  override readonly name: string = "ModelFileError";
}
