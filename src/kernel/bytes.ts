const units = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

/**
 * `4 MiB`, `4.1 MiB`, `12 bytes`. Rounds up, so that a size above a limit never reads like the
 * limit.
 */
export function bytesInWords(bytes: number): string {
  const found = units.find(([unit]) => bytes >= unit);
  if (found === undefined) return `${bytes} bytes`;
  const [unit, name] = found;
  return `${Math.ceil((bytes / unit) * 10) / 10} ${name}`;
}
