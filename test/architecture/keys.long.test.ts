import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { described, openAccesses } from './keys.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The accesses of each file below a folder, which the compiler knows the types of. */
function found(files: readonly string[], options: ts.CompilerOptions, folder: string): string[] {
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return program.getSourceFiles().flatMap((file) => {
    if (!file.fileName.startsWith(folder) || file.fileName.endsWith('/kernel/own.ts')) return [];
    const path = file.fileName.slice(folder.length);
    return openAccesses(file, checker).map((each) => described(file, path, each));
  });
}

const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), (path) => ts.sys.readFile(path));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);

it('finds an access by a key that may come from outside', () => {
  const text = `
declare const record: Readonly<Record<string, number>>, known: { a: number }, list: number[], key: string;
record[key] ?? 0;
record[key] !== undefined;
record[key]!;
record.a;
record['a'];
list[0];
key in record;
'a' in known;
Object.hasOwn(record, key) ? record[key] : 0;
Object.hasOwn(known, key) ? record[key] : 0;
(record as Record<string, number>)[key] = 1;
(record as Record<string, number>)[key] += 1;
for (const one of ['a', 'b'] as const) record[one];
`;
  const path = join(repository, 'test/architecture/sample.ts');
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target) =>
    name === path ? ts.createSourceFile(name, text, target, true) : read(name, target);
  const program = ts.createProgram([path], options, host);
  const file = program.getSourceFile(path)!;
  expect(
    openAccesses(file, program.getTypeChecker()).map((each) => described(file, 'sample.ts', each)),
  ).toEqual([
    'sample.ts:3 reads record[key]',
    'sample.ts:4 reads record[key]',
    'sample.ts:9 asks key in record',
    'sample.ts:12 reads record[key]',
    'sample.ts:13 writes (record as Record<string, number>)[key]',
    'sample.ts:14 writes (record as Record<string, number>)[key]',
  ]);
});

// Every object has `constructor`, and `__proto__` cannot be set: use a Map, or kernel/own.ts.
it('reads and writes objects by such keys in one place', () => {
  const files = fileNames.filter((name) => name.startsWith(join(repository, 'src/')));
  expect(found(files, options, repository)).toEqual([]);
});
