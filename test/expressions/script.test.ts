import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from '../support/fast-check.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluateText } from '../../src/expressions/template.ts';
import { readScript, type Script } from '../../src/expressions/script/script.ts';
import { loose, problemsOf, shown } from './language.ts';

function scriptOf(text: string): Script {
  const read = readScript(text, loose);
  if (!read.ok) throw new Error(shown(text, read.problems));
  return read.value;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-script-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash prints, with the value in place of every expression; null when it fails or takes too long. */
function run(script: Script, item: string): string | null {
  const env: Record<string, string> = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
  for (const [name, tree] of Object.entries(script.variables)) {
    const text = evaluateText(tree, { item }, loose);
    env[name] = text.ok ? text.value : '';
  }
  try {
    return execFileSync('bash', ['-e', '-c', script.text], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
  } catch {
    return null;
  }
}

test.each([
  ['echo ${{ item }}', 'echo "${MAILROOM_EXPRESSION_1}"'],
  ['echo a${{ item }}b', 'echo a"${MAILROOM_EXPRESSION_1}"b'],
  ['echo "a ${{ item }} b"', 'echo "a ${MAILROOM_EXPRESSION_1} b"'],
  [
    'echo ${{ item }} ${{ env.A }} ${{ item }}',
    'echo "${MAILROOM_EXPRESSION_1}" "${MAILROOM_EXPRESSION_2}" "${MAILROOM_EXPRESSION_1}"',
  ],
  ['echo "$(cat ${{ item }})"', 'echo "$(cat "${MAILROOM_EXPRESSION_1}")"'],
  ['cat <<E\n"${{ item }}"\nE\n', 'cat <<E\n"${MAILROOM_EXPRESSION_1}"\nE\n'],
  ["# it's ${{ item }}\necho", "# it's ${{ item }}\necho"],
  ['echo \\${{ item }} "\\${{ item }}"', 'echo \\${{ item }} "\\${{ item }}"'],
  ["echo ${{ '}}' }}'", 'echo "${MAILROOM_EXPRESSION_1}"\''],
  ['echo "${#x} $# $$ $! $x"', 'echo "${#x} $# $$ $! $x"'],
])('%j becomes %j', (text, becomes) => {
  expect(scriptOf(text).text).toBe(becomes);
});

const hostile = [
  'plain',
  'two words',
  '',
  ' * ',
  `"; touch "pwned"; '; touch pwned; \``,
  '$(touch pwned)`touch pwned`',
  'a[$(touch pwned)]',
  'é\n$HOME\\\t',
  'E',
];

test.each([
  ['a word', 'printf %s ${{ item }}'],
  ['a quoted word', 'printf %s "${{ item }}"'],
  ['behind other quotes', `: $'\\'' '"' "'"; printf %s '' "" \${{ item }}`],
  ['a nested substitution', 'printf %s "$(printf %s "$(printf "%s|" ${{ item }})")" | head -c -1'],
  ['behind a comment', "# don't\nprintf %s ${{ item }}"],
  ['behind a word with #', "printf '' a#b'c' ${x#'}'}\nprintf %s ${{ item }}"],
  ['behind # inside a word', `: ""#'a\n'\nprintf %s \${{ item }}`],
  ['behind a joined line of a here-document', 'cat <<E | tail -n +2 | head -c -1\na\\\nE\n${{ item }}\nE'],
  ['a branch of a case', 'printf %s "$(case x in (y) ;; x) printf "%s|" ${{ item }} ;; esac)" | head -c -1'],
  ['behind a case in a substitution', 'x=$(case a in a) echo ")";; esac); printf %s "${{ item }}"'],
  ['a here-string', 'x=$(cat <<<${{ item }}; printf x); printf %s "${x%?x}"'],
  ['a here-document', 'cat <<E | head -c -1\n${{ item }}\nE'],
  ['between here-documents', "cat <<'E' <<-F >/dev/null\n'\nE\n\t\"\n\tF\nprintf %s ${{ item }}"],
  ['a here-document in a substitution', 'printf %s "$(cat <<E\n${{ item }}|\nE\n)" | head -c -1'],
  ['a substitution in a here-document', 'cat <<E | head -c -2\n$(printf "%s|" "${{ item }}")\nE'],
  ['a subshell', '(printf %s ${{ item }})'],
  ['two subshells', '((printf %s ${{ item }}); (true))'],
  ['behind arithmetic', 'x=$((1 << 2)); ((x > 1)); printf %s ${{ item }}'],
  ['an array', 'x=(${{ item }}); printf %s "${x[0]}"'],
  ['an assignment', 'x=${{ item }}; printf %s "$x"'],
  ['behind a locale string', 'printf "%s" $"" ${{ item }}'],
  ['a test', 'if [[ ${{ item }} == "${{ item }}" ]]; then printf %s "${{ item }}"; fi'],
  ['behind a parameter', `printf %s "\${x:-'}"'}\${{ item }}" | tail -c +4`],
])('bash gets the value unchanged: %s', (_, text) => {
  const script = scriptOf(text);
  for (const value of hostile) expect([value, run(script, value)]).toEqual([value, value]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["echo '${{ item }}'", 'inside single quotes; use double quotes, or give the value a name under `env:`'],
  [
    "cat <<E\nabc\nE\necho '${{ item }}'",
    'inside single quotes; use double quotes, or give the value a name under `env:`',
  ],
  ["echo $'\\'${{ item }}'", "inside $'…'; use double quotes, or give the value a name under `env:`"],
  [
    "cat <<'E'\n${{ item }}\nE",
    'inside a quoted here-document; do not quote the delimiter, or give the value a name under `env:` and print it',
  ],
  [
    'cat <<-\\E\n\t${{ item }}\n\tE',
    'inside a quoted here-document; do not quote the delimiter, or give the value a name under `env:` and print it',
  ],
  ['cat <<${{ item }}\n', 'as the delimiter of a here-document; write the delimiter out'],
  ['echo `cat ${{ item }}`', 'inside backquotes; write `$(…)` instead'],
  ['echo "`cat ${{ item }}`"', 'inside backquotes; write `$(…)` instead'],
  [
    'echo $(( 1 + ${{ item }} ))',
    'inside arithmetic, where bash executes the value; give the value a name under `env:`, and check that it is a number',
  ],
  [
    '((x = ${{ item }}))',
    'inside arithmetic, where bash executes the value; give the value a name under `env:`, and check that it is a number',
  ],
  [
    'echo $[${{ item }}]',
    'inside arithmetic, where bash executes the value; give the value a name under `env:`, and check that it is a number',
  ],
  [
    'x["${{ item }}"]=1',
    'inside an index, where bash executes the value; give the value a name under `env:`, and check that it is a number',
  ],
  [
    '[[ ${{ item }} -eq 1 ]]',
    'beside a comparison of numbers in `[[ ]]`, where bash executes the value; use `[ … ]` instead',
  ],
  [
    'if [[ 1 -lt "${{ item }}" ]]; then :; fi',
    'beside a comparison of numbers in `[[ ]]`, where bash executes the value; use `[ … ]` instead',
  ],
  [
    'echo "${x:-${{ item }}}"',
    'inside `${…}`; give the value a name under `env:`, or assign it to a variable first',
  ],
  ['echo "$${{ item }}"', 'directly behind a `$`; write `\\$` for a dollar sign'],
])('%j is refused', (text, where) => {
  const start = text.indexOf('${{ item }}');
  const problems = readScript(text, loose);
  expect(problemsOf('', problems)).toContain(`an expression cannot stand ${where}`);
  const spans = problems.ok ? [] : problems.problems.map(({ span }) => span);
  expect(spans).toEqual([{ start, end: start + '${{ item }}'.length }]);
});

test('every mistake of a script is told, and what is wrong in an expression, too', () => {
  const text = "echo '${{ item }} ${{ item }}' ${{ itm }}\necho \"${{ }}\" '${{ item }}'";
  expect(
    problemsOf(text, readScript(text, loose))
      .split('\n')
      .filter((line) => line.includes('^')),
  ).toEqual([
    '      ^^^^^^^^^^^ an expression cannot stand inside single quotes; use double quotes, or give the value a name under `env:`',
    '                  ^^^^^^^^^^^ an expression cannot stand inside single quotes; use double quotes, or give the value a name under `env:`',
    '                                   ^^^ `itm` is not defined here; did you mean `item`?',
    '             ^ the expression is empty',
    '                  ^^^^^^^^^^^ an expression cannot stand inside single quotes; use double quotes, or give the value a name under `env:`',
  ]);
});

test('nesting has a limit', () => {
  expect(problemsOf('', readScript('$('.repeat(100_000), loose))).toContain('nested deeper than 100 levels');
});

test('a megabyte is read in one go', () => {
  const text = 'echo "${{ item }}" # \'\ncat <<E\n$(( 1 << 2 ))\nE\n'.repeat(22_000);
  expect(Object.keys(scriptOf(text).variables)).toEqual(['MAILROOM_EXPRESSION_1']);
});

const snippets = [
  [
    '${{ item }}',
    '${{ item }}',
    '${{ item }}',
    'echo ',
    'case x in ',
    'x) ',
    ' ;; esac ',
    '[[ ',
    ' ]]',
    ' -eq 1',
  ],
  [
    "'",
    '"',
    '`',
    '$(',
    ')',
    '(',
    '((',
    '))',
    '$((',
    '${x:-',
    '}',
    '\\',
    '#',
    ' ',
    '\n',
    ';',
    '|',
    '{ ',
    "$'",
    '$',
  ],
  ['<<E', "<<'E'", '<<-E', '\nE\n', '\n\tE\n', '<<<', 'x=', 'a', '[', ']', '=1', '&&', '$#', '${#x}', '!'],
].flat();
const pieces = fc.constantFrom(...snippets);
const randomScripts = fc.array(pieces, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));

test('no value is ever run, whatever the script: it is refused, or bash sees a text', () => {
  const value =
    '\'; touch pwned; "; touch pwned; `touch pwned`; a[$(touch pwned)]\nE\n touch pwned\n)\ntouch pwned';
  fc.assert(
    fc.property(randomScripts, (text) => {
      const read = readScript(text, loose);
      if (!read.ok) return;
      run(read.value, value);
      expect(readdirSync(folder)).not.toContain('pwned');
    }),
    { numRuns: 300 },
  );
});

test('any text gives a script or located problems', () => {
  fc.assert(
    fc.property(fc.oneof(randomScripts, fc.string({ unit: 'binary' })), (text) => {
      const read = readScript(text, loose);
      if (!text.includes('${{')) expect(read).toEqual({ ok: true, value: { text, variables: {} } });
      for (const { span } of read.ok ? [] : read.problems) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 1_000 },
  );
});
