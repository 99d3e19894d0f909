// Drops the entries of an object whose value is undefined, so that they do not replace defaults.

export function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
