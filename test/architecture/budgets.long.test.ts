import { describe, expect, it } from 'vitest';
import { findOverruns, findTestFaults } from './budgets.ts';
import { findSlices } from './floor.ts';
import { isTestFile, readTree } from './tree.ts';

const sources = readTree(['src', 'test', 'scripts', 'bench'], ['.ts', '.tsx', '.js', '.mjs', '.css']);
const testFiles = new Map([...sources].filter(([path]) => isTestFile(path)));

function lines(count: number): string {
  return 'call();\n'.repeat(count);
}

// Parsing all of it takes long on a machine that does other work.
describe('every file of the project', () => {
  it('has at most 400 lines, and each of its functions at most 60', () => {
    expect(findOverruns(sources)).toEqual([]);
  });

  it('has at least 60 lines where only one file of its folder imports it, with named exceptions', () => {
    const src = new Map([...sources].filter(([path]) => path.startsWith('src/') && !path.endsWith('.css')));
    expect(findSlices(src)).toEqual([]);
  });

  it('really tests, if it is a test', () => {
    expect(findTestFaults(testFiles)).toEqual([]);
  });
});

describe('the budget check', () => {
  it('accepts what is just within the budgets', () => {
    const text = `function f() {\n${lines(58)}}\n${lines(340)}`;
    expect(findOverruns(new Map([['src/a.ts', text]]))).toEqual([]);
  });

  it('shows a file that is too long', () => {
    expect(findOverruns(new Map([['src/a.ts', lines(401)]]))).toEqual([
      'src/a.ts:401 the file has 401 lines',
    ]);
  });

  it('counts the lines of style sheets', () => {
    const text = '.a {\n  color: red;\n}\n'.repeat(134);
    expect(findOverruns(new Map([['src/web/a.css', text]]))).toEqual([
      'src/web/a.css:401 the file has 402 lines',
    ]);
  });

  it.each(['function f() {', 'export const f = () => {', 'class A { f() {', 'describe("a", () => {'])(
    'shows a function of src that is too long: %s',
    (opening) => {
      const text = `// first\n${opening}\n${lines(59)}}`;
      expect(findOverruns(new Map([['src/a.ts', text]]))).toEqual(['src/a.ts:2 the function has 61 lines']);
    },
  );

  it('does not count what a test states as a function, but a helper of a test as one', () => {
    const text = `describe('a', () => {\nit.each([1])('b', () => {\n${lines(70)}});\n});\n`;
    const helper = `function helper() {\n${lines(60)}}\n`;
    const found = findOverruns(new Map([['test/a.test.ts', text + helper]]));
    expect(found).toEqual(['test/a.test.ts:75 the function has 62 lines']);
  });
});

describe('the floor', () => {
  const user = "import { a } from './a.ts';\n";
  const belongs = 'src/disk/a.ts has 59 lines and belongs to src/disk/b.ts';

  it.each<[string, Record<string, string>, string[]]>([
    ['a slice of its only importer', { 'src/disk/a.ts': lines(59), 'src/disk/b.ts': user }, [belongs]],
    ['enough lines', { 'src/disk/a.ts': lines(60), 'src/disk/b.ts': user }, []],
    ['two importers', { 'src/disk/a.ts': lines(1), 'src/disk/b.ts': user, 'src/disk/c.ts': user }, []],
    [
      'an importer that has no room for it',
      { 'src/disk/a.ts': lines(50), 'src/disk/b.ts': user + lines(350) },
      [],
    ],
    ['another folder', { 'src/disk/a.ts': lines(1), 'src/git/b.ts': "import '../disk/a.ts';\n" }, []],
    [
      'a file loaded when it is needed',
      { 'src/disk/a.ts': lines(1), 'src/disk/b.ts': "import('./a.ts');\n" },
      [],
    ],
  ])('judges %s', (_what, files, found) => {
    expect(findSlices(new Map(Object.entries(files)), {})).toEqual(found);
  });

  it('wants no exception that nothing needs', () => {
    const files = new Map([
      ['src/disk/a.ts', lines(59)],
      ['src/disk/b.ts', user],
    ]);
    expect(findSlices(files, { 'src/disk/': 'small', 'src/git/': 'small' })).toEqual([
      'src/git/ needs no exception',
    ]);
  });
});

describe('the check of tests', () => {
  it.each([
    [`it.skip('a', () => {});`, 'a test is left out by .skip'],
    [`describe.only('a', () => {});`, 'a test is left out by .only'],
    [`test.concurrent.todo('a');`, 'a test is left out by .todo'],
    [`it.skipIf(windows)('a', () => {});`, 'a test is left out by .skipIf'],
    [`expect(true).toBe(true);`, 'expects something of a constant'],
    [`await sleep(10);`, 'sleep() waits for time to pass, not for what is tested'],
    [`await vi.waitFor(done);`, 'waitFor() gives up after a second: use expect.poll()'],
    [`setTimeout(done, 10);`, 'setTimeout() waits for time to pass, not for what is tested'],
    [`await timers.setTimeout(10);`, 'setTimeout() waits for time to pass, not for what is tested'],
  ])('refuses %s', (text, fault) => {
    expect(findTestFaults(new Map([['test/a.test.ts', text]]))).toEqual([`test/a.test.ts:1 ${fault}`]);
  });

  it('accepts the same words in text and in names of other things', () => {
    const text = `it('a', () => { expect(run('sleep(1); setTimeout(f)')).toBe(true); reader.skip(); });`;
    expect(findTestFaults(new Map([['test/a.test.ts', text]]))).toEqual([]);
  });
});
