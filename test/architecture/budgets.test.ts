import { describe, expect, it } from 'vitest';
import { findOverruns, findTestFaults } from './budgets.ts';
import { isTestFile, readTree } from './tree.ts';

const sources = readTree(['src', 'test', 'scripts', 'bench'], ['.ts', '.tsx', '.js', '.mjs']);
const testFiles = new Map([...sources].filter(([path]) => isTestFile(path)));

function lines(count: number): string {
  return 'call();\n'.repeat(count);
}

describe('every file of the project', () => {
  it('has at most 400 lines, and each of its functions at most 60', () => {
    expect(findOverruns(sources)).toEqual([]);
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

describe('the check of tests', () => {
  it.each([
    [`it.skip('a', () => {});`, 'a test is left out by .skip'],
    [`describe.only('a', () => {});`, 'a test is left out by .only'],
    [`test.concurrent.todo('a');`, 'a test is left out by .todo'],
    [`it.skipIf(windows)('a', () => {});`, 'a test is left out by .skipIf'],
    [`expect(true).toBe(true);`, 'expects something of a constant'],
    [`await sleep(10);`, 'sleep() waits for time to pass, not for what is tested'],
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
