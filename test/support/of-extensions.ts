import { existsSync, readdirSync } from 'node:fs';

const folder = new URL('../extensions/', import.meta.url);

/**
 * What extensions add to measures and simulations of the house, by the names of extensions: the
 * modules `test/extensions/<name>/<file>`, as far as they are there.
 */
export async function ofExtensions<T>(file: string): Promise<ReadonlyMap<string, T>> {
  const found = readdirSync(folder)
    .map((name) => [name, new URL(`${name}/${file}`, folder)] as const)
    .filter(([, url]) => existsSync(url));
  return new Map(
    await Promise.all(found.map(async ([name, url]) => [name, (await import(url.href)) as T] as const)),
  );
}
