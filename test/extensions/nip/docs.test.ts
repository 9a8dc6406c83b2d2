import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { version } from '../../../src/documents/common.ts';
import { report } from '../../../src/extensions/nip/nostr/documents.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import { forms, tagNames } from '../../../src/extensions/nip/language/tags.ts';
import { nipSettings } from '../../../src/config/nip.ts';
import { keysAt } from '../../../src/yaml/shape.ts';
import { nip } from './language/nip.ts';
import { constructsBelow } from '../../docs/held.ts';
import { differences, events, refusals, rows, skills } from './docs-rows.ts';

const page = readFileSync(new URL('../../../docs/languages/nip.md', import.meta.url), 'utf8');
const all = [...page.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, construct = '']) => construct);
const constructs = all.join('\n').replaceAll('\\|', '|');

const steps = [
  ['step', 'first', '5200', 'output:size'],
  ['step', 'second', '5200', 'output:made'],
];
const input = ['input', 'text', 'string', 'true'];

/** What makes of a construct of the table a definition. */
function reads(...tags: readonly string[][]): void {
  nip(input, ...steps, ['edge', 'first', 'second'], ...tags);
}

it('shows the document of `mailroom nip` in docs/commands/nip.md', () => {
  const text = readFileSync(new URL('../../../docs/commands/nip.md', import.meta.url), 'utf8');
  const [, document = ''] = /^```json nip\n([^]+?)^```$/m.exec(text) ?? [];
  expect(report.extend({ schema: version }).safeParse(JSON.parse(document)).error).toBeUndefined();
});

describe('docs/languages/nip.md', () => {
  it('has every tag and every part of a step', () => {
    for (const name of tagNames) expect(constructs).toContain(`["${name}", `);
    for (const prefix of ['input:', 'output:', 'timeout:', 'policy:', 'retries:', 'budget:'])
      expect(constructs).toContain(`\`${prefix}`);
    expect(Object.keys(forms)).toEqual([...tagNames]);
  });

  const tables = [
    ['What happens here', rows],
    ['By id', skills],
    ['Events', events],
    ['Relays', refusals],
    ['Differences', differences],
  ] as const;

  describe.each(tables)('below %s', (heading, played) => {
    it('reports what is played, and nothing else', () => {
      // Keys that are numbers come first.
      expect(constructsBelow(page, heading).toSorted()).toEqual(Object.keys(played).toSorted());
    });

    it.each(Object.entries(played))('is right about %s', (_construct, play) =>
      expect(play()).toBeUndefined(),
    );
  });

  it('has every setting', () => {
    const { keys } = keysAt(nipSettings, []);
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) expect(page).toContain(`\`${key}\``);
  });

  const parts = [...constructs.matchAll(/`((?:input|policy):[^`<]+)`/g)].map(([, part = '']) => part);

  it.each(parts)('reports a part that can be read: %s', (part) => {
    const step = ['step', 'third', '5200', part, 'output:third'];
    expect(() => reads(step, ['edge', 'second', 'third'])).not.toThrow();
  });

  it.each(['always', '$.size.long == true'])('reports a condition that can be read: %s', (condition) => {
    expect(constructs).toContain(condition);
    expect(() => reads(['edge', 'first', 'second', condition])).not.toThrow();
  });

  const refused = [...constructs.matchAll(/`(\$[^`]*(?:\.\.|\[[*?-])[^`]*)`/g)].map(([, path = '']) => path);

  it.each(refused)('reports a path that is refused: %s', (path) => {
    expect(() =>
      reads(['edge', 'first', 'second', path.replace('$.a', '$.size').replace('$..a', '$..size')]),
    ).toThrow(/unexpected|names no single value/);
  });

  it('finds what it looks for', () => {
    expect(parts.length).toBe(8);
    expect(refused.length).toBe(4);
  });

  it('shows a protocol that can be read', () => {
    const [, text = ''] = /^```yaml\n([^]+?)^```$/m.exec(page) ?? [];
    expect(parseProtocol([{ file: 'tasks.yaml', text }])).toMatchObject({ ok: true });
  });
});
