/** The ways of a list that go through all of it, or may. */
const ways = [
  'concat',
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'flatMap',
  'forEach',
  'includes',
  'indexOf',
  'join',
  'map',
  'reduce',
  'slice',
  'some',
  'toReversed',
  'toSorted',
  'toSpliced',
  'with',
] as const;

type Method = (this: unknown, ...given: unknown[]) => unknown;

/**
 * How many items of lists, maps and sets are gone through while something is done: a measure of its work that is the same on
 * every machine. `act` waits for nothing.
 */
export function effortOf(act: () => void): number {
  let items = 0;
  const undo: (() => void)[] = [];
  const replace = (owner: object, name: string, replacement: (method: Method) => Method): void => {
    const methods = owner as Record<string, Method>;
    const method = methods[name]!;
    methods[name] = replacement(method);
    undo.push(() => (methods[name] = method));
  };
  for (const iterator of [[].values(), new Map().entries(), new Set().values()])
    replace(Object.getPrototypeOf(iterator) as object, 'next', (next) => {
      return function (this: unknown) {
        items += 1;
        return next.call(this);
      };
    });
  for (const way of ways)
    replace(Array.prototype, way, (method) => {
      return function (this: unknown, ...given) {
        items += (this as readonly unknown[]).length;
        return method.apply(this, given);
      };
    });
  try {
    act();
  } finally {
    for (let at = 0; at < undo.length; at += 1) undo[at]!();
  }
  return items;
}
