import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import metadata from '../../package.json' with { type: 'json' };
import { manPage, manPages, roff } from '../../scripts/man.ts';

const hostile = [
  'Usage: mailroom x',
  'what it does. More of it.',
  'Options:\n  -x, --long-one <a\\nb>  .dot \\fBnot bold\\fR `code` \'quoted\' "twice" ~ ^ …\n  .TH        a request',
  "'quoted first\n.SH no heading",
].join('\n\n');

/** A page as a reader sees it, on wide lines; null: there is no groff. */
function shown(page: string): string | null {
  const args = ['-man', '-Tutf8', '-ww', '-rLL=400n', '-P-c', '-P-b', '-P-u'];
  const { status, stdout, stderr } = spawnSync('groff', args, { input: page, encoding: 'utf8' });
  if (status === null) return null;
  expect(stderr).toBe('');
  return stdout;
}

it('has a page for the program and for each command that the help lists, all named in package.json', () => {
  const pages = manPages();
  expect(metadata.man).toEqual([...pages.keys()].map((name) => `man/${name}`).toSorted());
  expect(pages.get('mailroom-run.1')).toContain('.B \\-\\-dry\\-run\nshow what it would do');
  expect(pages.get('mailroom.1')).toContain('.SH NAME\nmailroom \\- Hands work between headless');
  expect(pages.get('mailroom.1')).toContain('.TP\n.B 124\ntimed out');
  expect(pages.get('mailroom-worker.1')).toContain('.SH SEE ALSO\n.BR mailroom (1)');
});

it.each([
  ['.TH', '\\&.TH'],
  ["'br", '\\(aqbr'],
  ['a.b', 'a.b'],
  ['--a \\n', '\\-\\-a \\en'],
  ['`~^"', '\\(ga\\(ti\\(ha\\(dq'],
  ['é…😀\t', '\\[u00E9]\\[u2026]\\[u1F600]\\[u0009]'],
])('escapes %j', (text, escaped) => expect(roff(text)).toBe(escaped));

it('begins no line with what roff would obey', () => {
  const lines = manPage('mailroom-x', hostile, ['mailroom']).split('\n');
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0]);
  expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.B', '.TP', '.PP', '.BR']));
  expect(lines.filter((line) => line.startsWith('.TH'))).toHaveLength(1);
});

it('is shown as the help has it', (ctx) => {
  const page = shown(manPage('mailroom-x', hostile, ['mailroom']));
  if (page === null) return ctx.skip('there is no groff');
  for (const words of [
    'mailroom-x - what it does',
    '-x, --long-one <a\\nb>',
    '.dot \\fBnot bold\\fR `code` \'quoted\' "twice" ~ ^ …',
    "'quoted first .SH no heading",
  ])
    expect(page).toContain(words);
  const pages = [...manPages().values()];
  expect(shown(pages.join(''))?.match(/^SEE ALSO$/gm)).toHaveLength(pages.length);
});
