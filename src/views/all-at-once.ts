// Runs an action for many items, a limited number at a time, so that a folder of thousands of runs opens few files at once.

const AT_ONCE = 32;

/** The results in the order of the items. */
export async function allAtOnce<T, R>(
  items: readonly T[],
  action: (item: T) => Promise<R>,
  atOnce: number = AT_ONCE,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const i = next++;
      results[i] = await action(items[i]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}
