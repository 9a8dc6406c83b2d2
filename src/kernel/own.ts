/*
 * Objects whose keys come from outside: every object has `toString` and `constructor`, and setting
 * `__proto__` sets no key. A test holds that nothing else reads or writes by such keys.
 */

/** The value that an object has itself under a key; undefined: none, whatever it inherits. */
export function ownValue<T>(
  record: Readonly<Record<string, T>> | null | undefined,
  key: PropertyKey,
): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key as string] : undefined;
}

/** Gives an object a key of its own, whatever the key is. */
export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  else record[key] = value;
}
