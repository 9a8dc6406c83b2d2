import { describe, expect, it } from 'vitest';
import { errorDocument } from '../../src/project/definition/problems.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { json } from '../../src/cli/output.ts';
import { line, printable, table } from '../../src/cli/format.ts';
import { ProjectFixture } from './project-fixture.ts';

/** One of each kind of character that steers a terminal or turns the direction of writing. */
const characters =
  '\u0000\u0007\b\r\u001b\u007f\u0080\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const quotable = JSON.stringify(`x${characters.slice(1)}\u001b[2Jy`);

/** What a terminal gets, without the line breaks. */
const shown = (text: string) => text.replaceAll('\n', '');

/** A project in which everything that others may choose is hostile: in mail that waits, that failed, that was refused and that is long over. */
function hostile(): ProjectFixture {
  const fixture = new ProjectFixture();
  const fields = `subject: ${quotable}\nfields: { ${quotable}: ${quotable} }\n${quotable}: ${quotable}\n`;
  const text = (front: string) => `---\n${front}${fields}---\n${characters.slice(1)}\n`;
  fixture.drop('agents/architect/inbox/a.md', text('type: task\n'));
  fixture.work('architect', { files: { 'd.md': text('type: design\n') } });
  fixture.drop('agents/user/inbox/x\u001b[2J\u202e.md', `What is this?${characters.slice(1)}`);
  const id = '01890000-0000-7000-8000-000000abcdef';
  const old = `id: ${id}\ntype: task\nfrom: user\nto: architect\nthread: ${id}\ncreated: 2025-01-02T03:04:05.006Z\n`;
  const path = `agents/architect/failed/2025-01/20250102T030405006Z-task-${id}.md`;
  fixture.disk.plant(path, text(old));
  fixture.disk.plant(`${path}.reason.txt`, `E_TURN: ${characters}`);
  return fixture;
}

describe('what a terminal gets', () => {
  it('has no character of others that steers it, in no field of any command', async () => {
    const fixture = hostile();
    const ids = [...fixture.state.mail.keys(), 'abcdef', 't1'];
    const [refused = ''] = (fixture.disk.list('agents/user/failed/2026-11') ?? []).filter((name) =>
      name.endsWith('.md'),
    );
    const commands = [
      ['status'],
      ['status', '--threads'],
      ['trail'],
      ['trail', '--full'],
      ...[...ids, refused.slice(-20, -3)].map((id) => ['show', id]),
      ['show', `zzzz\u001b[2J\u202e`],
      ['pause', `zzzz\u009b2J`],
      ['retry', `zzzz\u200e`],
      ['costs'],
    ];
    const wrong: string[] = [];
    for (const argv of commands)
      for (const more of [[], ['--json']]) {
        const { out, err } = await fixture.run(...argv, ...more);
        if (out + err === '' || steering.test(shown(out + err))) wrong.push([...argv, ...more].join(' '));
      }
    expect(wrong).toEqual([]);
  });

  it('keeps every value in documents', async () => {
    const fixture = hostile();
    const [first] = [...fixture.state.mail.values()].filter(({ message }) => message.type === 'task');
    const { document } = await fixture.json('show', first?.message.id ?? '');
    expect(document).toMatchObject({ message: { fields: first?.message.fields, body: first?.message.body } });
    expect(Object.keys(first?.message.fields ?? {})).toEqual([JSON.parse(quotable)]);
  });

  it('is printable, whatever was to be shown', () => {
    expect(printable('a\tb\nc')).toBe('a    b\nc');
    for (const character of characters) {
      expect(printable(`a${character}b`)).toBe('a\ufffdb');
      expect(line(`a${character}b`)).not.toMatch(steering);
      expect(table([character], [[character]]).join('')).not.toMatch(steering);
      expect(shown(json({ [character]: character }))).not.toMatch(steering);
      expect(JSON.parse(json({ [character]: character }))).toEqual({ [character]: character });
      expect(shown(json(errorDocument(new MailroomError('E_TARGET', character))))).not.toMatch(steering);
    }
  });
});
