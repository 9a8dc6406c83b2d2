import { expect, test } from 'vitest';
import { failureIn, namedFailure } from '../../src/kernel/failure-marks.ts';

/** Outputs as the tools print them, shortened; the line that should be found begins with `>`. */
const outputs: Readonly<Record<string, string>> = {
  node: `
starting
/srv/app/index.js:3
throw new TypeError('boom');
^

>TypeError: boom
    at Object.<anonymous> (/srv/app/index.js:3:7)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v20.19.4`,
  'node, a system error': `
node:internal/fs/promises:639
>Error: ENOENT: no such file or directory, open 'x'
    at async open (node:internal/fs/promises:639:25) {`,
  vitest: `
 ✓ test/a.test.ts (3 tests) 12ms
 ✓ test/errors.test.ts > explains an AssertionError: its line 2ms
 ❯ test/b.test.ts (2 tests | 1 failed) 9ms
>   × adds 5ms
     → expected 3 to be 4 // Object.is equality
 FAIL  test/b.test.ts > adds
AssertionError: expected 3 to be 4 // Object.is equality
 Tests  1 failed | 4 passed (5)`,
  jest: `
PASS src/a.test.js
>FAIL src/sum.test.js
  ● adds

    expect(received).toBe(expected) // Object.is equality`,
  pytest: `
============================= test session starts ==============================
collected 2 items
test_a.py .F                                                             [100%]
=================================== FAILURES ===================================
___________________________________ test_sum ___________________________________
    def test_sum():
>       assert 1 + 1 == 3
>E       assert (1 + 1) == 3
FAILED test_a.py::test_sum - assert (1 + 1) == 3
========================= 1 failed, 1 passed in 0.02s ==========================`,
  python: `
>Traceback (most recent call last):
  File "/srv/a.py", line 3, in <module>
ValueError: no price`,
  tsc: `
>src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/b.ts(9,1): error TS2304: Cannot find name 'x'.`,
  eslint: `
/srv/a.js
  1:1  warning  Unexpected console statement  no-console
>  3:5  error    'x' is not defined            no-undef`,
  'cargo build': `
   Compiling shop v0.1.0 (/srv/shop)
>error[E0308]: mismatched types
 --> src/main.rs:2:18`,
  'cargo test': `
running 2 tests
test ok ... ok
>test adds ... FAILED

thread 'adds' panicked at src/lib.rs:7:5:`,
  'go test': `
ok  	shop/price	0.01s
>--- FAIL: TestSum (0.00s)
    sum_test.go:7: got 3, want 4
FAIL	shop/sum	0.002s`,
  'go build': `
# shop/sum
>sum/sum.go:3:9: undefined: x`,
  'go panic': `
>panic: runtime error: index out of range [3] with length 3`,
  npm: `
> shop@1.0.0 test
> node --test
npm error code ELIFECYCLE
>npm error Lifecycle script \`test\` failed with exit code 1`,
  'npm, a missing script': `
npm ERR! code ENOENT
npm ERR! path /srv/shop/package.json
>npm ERR! enoent ENOENT: no such file or directory, open '/srv/shop/package.json'
npm ERR! enoent

npm ERR! A complete log of this run can be found in:
npm ERR!     /root/.npm/_logs/2026-11-21T20_00_00_000Z-debug-0.log`,
  ruby: `
>a.rb:1:in 'price': no price (ArgumentError)
	from a.rb:4:in '<main>'`,
  shell: `
loading
>./check.sh: line 3: shellcheck: command not found`,
  make: `
cc -c a.c
>a.c:3:5: error: expected ';' before 'return'
make: *** [Makefile:2: a.o] Error 1`,
  'make alone': `
./check.sh
>make: *** [Makefile:2: check] Error 3`,
};

test.each(Object.entries(outputs))('%s: the line that says what went wrong', (_, output) => {
  const lines = output.slice(1).split('\n');
  // Of pytest and npm some lines begin with the sign, so the last one that has it is meant.
  const line = lines.findLastIndex((each) => each.startsWith('>'));
  const text = lines.map((each, index) => (index === line ? each.slice(1) : each));
  expect(failureIn(text)?.line).toBe(line);
});

test('colours do not hide a failure', () => {
  expect(failureIn(['fine', '\u001b[31m\u001b[1mAssertionError\u001b[0m: no'])).toEqual({
    line: 1,
    certain: true,
  });
});

test('nothing that passed is a failure', () => {
  const fine = [
    '✓ rejects an Error: of others',
    'PASS FAIL.test.js',
    '0 errors',
    '12 passed, 0 failed',
    'ok',
  ];
  expect(failureIn(fine)).toBeNull();
});

test('a line that only says that something failed is not certain', () => {
  expect(failureIn(['1 test failed', 'bye'])).toEqual({ line: 0, certain: false });
});

test.each([
  ['TypeError: boom', outputs['node']],
  ['ValueError: no price', outputs['python']],
  [
    'shop.errors.NoPrice: of 3',
    'Traceback (most recent call last):\n  File "a.py"\nKeyError: 3\n\nDuring handling of the above ' +
      'exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "a.py"\n' +
      'shop.errors.NoPrice: of 3\n',
  ],
  [
    "thread 'main' panicked at src/main.rs:2:5: no price",
    "thread 'main' panicked at src/main.rs:2:5:\nno price",
  ],
  ['Error: colours', '\u001b[31mError\u001b[39m: colours'],
  [null, 'one check failed\nbye'],
])('the error that is named: %s', (named, output = '') => {
  const lines = output.replaceAll(/^>/gm, '').split('\n');
  expect(namedFailure(lines)).toBe(named);
});
