// Stands in for linkedom in the browser, where there is a document already.

export function parseHTML(): { readonly document: Document } {
  return { document: globalThis.document };
}
