// Answers come anew each second, mostly with what they had before. Whoever draws a thing can tell by
// its identity whether it has changed.

/** The new list, with the old object wherever it says the same. */
export function keepEqual<T>(
  before: readonly T[],
  now: readonly T[],
  key: (item: T) => string | number,
): readonly T[] {
  const old = new Map(before.map((item) => [key(item), item]));
  let changed = before.length !== now.length;
  const kept = now.map((item, i) => {
    const was = old.get(key(item));
    const same = was !== undefined && JSON.stringify(was) === JSON.stringify(item);
    const one = same ? was : item;
    if (one !== before[i]) changed = true;
    return one;
  });
  return changed ? kept : before;
}
