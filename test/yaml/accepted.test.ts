import { expect, it } from 'vitest';
import type { Diagnostic } from '../../src/kernel/diagnostic.ts';
import type { ErrorCode } from '../../src/kernel/errors.ts';
import { withoutAccepted } from '../../src/yaml/accepted.ts';
import { renderDiagnostics } from '../../src/yaml/diagnostics.ts';

const text = `messages:
  # mailroom-ok: E_STUCK both parts always come
  # (see the design page)
  one: { from: a, to: b }
  two: { from: a, to: b } # mailroom-ok: E_STUCK
  three: { from: a, to: b } # mailroom-ok: E_STUK why not
  four: { from: a, to: b } # mailroom-ok: E_CAPABILITY it is a test
`;
const files = [{ file: 't.yaml', text }];

function warning(line: number, code: ErrorCode = 'E_STUCK', severity: Diagnostic['severity'] = 'warning') {
  const place = { file: 't.yaml', line, column: 3, length: 3, text: text.split('\n')[line - 1] ?? '' };
  return { code, severity, message: 'a role waits forever', place, hint: null };
}

const all = () => true;

it('leaves out what a comment above or at the end of the line accepts, and warns of bad comments', () => {
  const { left, accepted } = withoutAccepted([warning(4), warning(5), warning(6)], files, all);
  expect(accepted).toBe(2);
  expect(renderDiagnostics(left)).toMatchInlineSnapshot(`
    "t.yaml:6:3: warning E_STUCK: a role waits forever
        three: { from: a, to: b } # mailroom-ok: E_STUK why not
        ^^^

    t.yaml:5:27: warning E_VALUE: \`mailroom-ok\` has no reason
        two: { from: a, to: b } # mailroom-ok: E_STUCK
                                ^^^^^^^^^^^^^^^^^^^^^^
    hint: write it after \`E_STUCK\`

    t.yaml:6:29: warning E_VALUE: \`mailroom-ok\` accepts an unknown warning: \`E_STUK\`
        three: { from: a, to: b } # mailroom-ok: E_STUK why not
                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: did you mean \`E_STUCK\`?

    t.yaml:7:28: warning E_VALUE: \`mailroom-ok\` accepts no \`E_CAPABILITY\` here
        four: { from: a, to: b } # mailroom-ok: E_CAPABILITY it is a test
                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: remove the comment"
  `);
});

it('accepts no error, nothing of another code, line or file, and nothing without a place', () => {
  const others = [
    warning(4, 'E_STUCK', 'error'),
    warning(4, 'E_PROTOCOL'),
    warning(3),
    { ...warning(4), place: null },
    { ...warning(4), place: { ...warning(4).place, file: 'u.yaml' } },
  ];
  const { left, accepted } = withoutAccepted(others, files, () => false);
  expect([left.slice(0, 5), accepted]).toEqual([others, 0]);
});

it('calls no comment unused whose warning was not looked for', () => {
  const messages = (judged: (code: ErrorCode) => boolean) =>
    withoutAccepted([], files, judged).left.map(({ message }) => message);
  expect(messages((code) => code !== 'E_STUCK')).toEqual([
    '`mailroom-ok` accepts an unknown warning: `E_STUK`',
    '`mailroom-ok` accepts no `E_CAPABILITY` here',
  ]);
});

it('works in Markdown, too, as a comment of that', () => {
  const page = [
    '<!-- mailroom-ok: E_STUCK above -->',
    '<!-- another -->',
    '',
    '# A heading',
    'Words <!--mailroom-ok: E_STUCK at the end-->',
    '<!-- mailroom-ok: E_STUCK -->',
    'More',
  ].join('\n');
  const { left, accepted } = withoutAccepted(
    [warning(4), warning(5), warning(7)],
    [{ file: 't.yaml', text: page }],
    all,
  );
  expect(accepted).toBe(3);
  expect(left.map(({ message, place }) => [message, place?.line, place?.column])).toEqual([
    ['`mailroom-ok` has no reason', 6, 1],
  ]);
});
