import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** What the rows of a page say, as something that can be seen to happen. */
export type Rows = Readonly<Record<string, () => void>>;

/** Says that tests of a file hold a row; fails when one of them is not there any more. */
export function heldBy(file: string, ...names: readonly string[]): void {
  const paths = ['test', 'long.test'].map((kind) => new URL(`../${file}.${kind}.ts`, import.meta.url));
  const text = readFileSync(paths.find((path) => existsSync(path)) ?? file, 'utf8');
  const titles = [...text.matchAll(/(['"`])((?:(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async )?\(/g)].map(
    ([, , title]) => title,
  );
  expect(titles).toEqual(expect.arrayContaining([...names]));
}

/** The constructs of the table below a heading of a page, in its order. */
export function constructsBelow(page: string, heading: string): string[] {
  const section = page.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (.+?) +\| .+\|$/gm)].map(([, construct = '']) => construct).slice(2);
}
