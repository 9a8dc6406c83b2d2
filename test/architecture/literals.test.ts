import ts from 'typescript';
import { expect, it } from 'vitest';
import { lineOf, parse, readTree, visit } from './tree.ts';

const sources = [...readTree(['src'], ['.ts', '.tsx'])];

/** The regular expressions of a file with other characters than those of ASCII. */
function foreignPatterns([path, text]: readonly [string, string]): string[] {
  const found: string[] = [];
  // Few files have such a character at all, and parsing takes long.
  if (!/[^\0-\u007f]/.test(text)) return found;
  const file = parse(path, text);
  visit(file, (node) => {
    if (ts.isRegularExpressionLiteral(node) && /[^\0-\u007f]/.test(node.text))
      found.push(`${path}:${String(lineOf(file, node))} ${node.text}`);
  });
  return found;
}

// The launcher reads the built program as Latin-1, and the builder escapes strings alone.
it('writes regular expressions in ASCII', () => {
  expect(foreignPatterns(['a.ts', "const a = '…';\nconst b = /^…/;\n"])).toEqual(['a.ts:2 /^…/']);
  expect(sources.flatMap(foreignPatterns)).toEqual([]);
});

it('shortens ids for people in one place', () => {
  expect(sources.flatMap(([path, text]) => (text.includes('slice(-6)') ? [path] : []))).toEqual([
    'src/kernel/ids.ts',
  ]);
});
