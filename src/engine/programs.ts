// Compiled programs by name: each is compiled when it is first needed, and kept until all are disposed.

interface Disposable {
  dispose(): Promise<void>;
}

export class Programs {
  readonly #compiled = new Map<string, Promise<Disposable>>();

  /** The program of this name. A failed compilation is forgotten, so that it can be repeated. */
  once<P extends Disposable>(name: string, create: () => Promise<P>): Promise<P> {
    const compiled = (this.#compiled.get(name) as Promise<P> | undefined) ?? create();
    this.#compiled.set(name, compiled);
    compiled.catch(() => this.#compiled.delete(name));
    return compiled;
  }

  async dispose(): Promise<void> {
    const compiled = [...this.#compiled.values()];
    this.#compiled.clear();
    for (const program of compiled) await (await program).dispose();
  }
}
