import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { maskOf } from '../../../src/process/output/mask.ts';
import { describe, expect, it } from 'vitest';
import type { DiskFixture } from '../../disk/disk-fixtures.ts';
import { diskFixtures, cleanUp } from '../../disk/disk-fixtures.ts';

cleanUp();

const attempt = '.mailroom/turns/t1/2';
const outbox = `${attempt}/outbox`;
const mail = [
  { name: 'first.md', text: 'one' },
  { name: 'second.md', text: 'two' },
];

describe.each(diskFixtures)('TurnFolders: $name', ({ make }) => {
  function open(): DiskFixture & { folders: TurnFolders; begin: (round: number, keep: boolean) => unknown } {
    const fixture = make();
    const folders = new TurnFolders(fixture.disk);
    const begin = (round: number, keep: boolean): unknown =>
      folders.open(
        { turn: 't1', attempt: 2, round },
        { prompt: 'Do it.', messages: mail, keepStaging: keep },
      );
    return { ...fixture, folders, begin };
  }
  const read = ({ disk }: DiskFixture, path: string): string | null =>
    disk.read(path, 999)?.toString() ?? null;

  it('makes prompt, copies and an empty staging folder, and tells where they are', () => {
    const fixture = open();
    const root = fixture.disk.root;
    expect(fixture.begin(0, false)).toEqual({
      folder: `${root}/${attempt}`,
      prompt: `${root}/${attempt}/prompt.md`,
      outbox: `${root}/${outbox}`,
      messages: [`${root}/${attempt}/messages/first.md`, `${root}/${attempt}/messages/second.md`],
      stdout: `${root}/${attempt}/stdout`,
      stderr: `${root}/${attempt}/stderr`,
    });
    expect(read(fixture, `${attempt}/prompt.md`)).toBe('Do it.');
    expect(read(fixture, `${attempt}/messages/second.md`)).toBe('two');
    expect(fixture.disk.list(outbox)).toEqual([]);
  });

  it('gives each round its own files, and an empty staging folder unless it is kept', () => {
    const fixture = open();
    fixture.begin(0, false);
    fixture.plant(`${outbox}/draft.md`, 'x');
    expect(fixture.begin(1, true)).toMatchObject({
      prompt: expect.stringMatching(/\/prompt-1\.md$/),
      stdout: expect.stringMatching(/\/stdout-1$/),
      stderr: expect.stringMatching(/\/stderr-1$/),
    });
    expect(fixture.disk.list(outbox)).toEqual(['draft.md']);
    fixture.begin(2, false);
    expect(fixture.disk.list(outbox)).toEqual([]);
    fixture.folders.result('t1', 2, 0, { is: 'done' });
    fixture.folders.result('t1', 2, 1, { is: 'later' });
    expect(read(fixture, `${attempt}/result.json`)).toBe('{\n  "is": "done"\n}\n');
    expect(read(fixture, `${attempt}/result-1.json`)).toBe('{\n  "is": "later"\n}\n');
  });

  it('reads a copy: what is written later is not seen', () => {
    const fixture = open();
    fixture.begin(0, false);
    fixture.plant(`${outbox}/b.md`, 'two');
    fixture.plant(`${outbox}/a.md`, 'one');
    expect(fixture.folders.collect('t1', 2, 0)).toEqual([
      { name: 'a.md', content: { ok: true, text: 'one' } },
      { name: 'b.md', content: { ok: true, text: 'two' } },
    ]);
    fixture.plant(`${outbox}/a.md`, 'changed');
    expect(read(fixture, `${attempt}/collected-0/a.md`)).toBe('one');
    fixture.disk.remove(`${outbox}/b.md`);
    expect(fixture.folders.collect('t1', 2, 1)).toEqual([
      { name: 'a.md', content: { ok: true, text: 'changed' } },
    ]);
    expect(fixture.disk.list(`${attempt}/collected-1`)).toEqual(['a.md']);
  });

  it('takes numbered files as a person counts', () => {
    const fixture = open();
    fixture.begin(0, false);
    for (const name of ['10.md', '9.md', 'part-2.md', 'part-10.md']) fixture.plant(`${outbox}/${name}`, 'x');
    const names = fixture.folders.collect('t1', 2, 0).map(({ name }) => name);
    expect(names).toEqual(['9.md', '10.md', 'part-2.md', 'part-10.md']);
  });

  it('shows no secret in the names of files, and keeps files apart whose names look alike then', () => {
    const fixture = open();
    fixture.begin(0, false);
    const [one, two] = ['first-secret', 'second-secret'];
    const folders = new TurnFolders(fixture.disk, maskOf([one, two]));
    for (const secret of [one, two]) fixture.plant(`${outbox}/${secret}.md`, `of ${secret}`);
    expect(folders.written('t1', 2).names).toEqual(['***.md', '***.md']);
    expect(folders.collect('t1', 2, 0)).toEqual(
      [one, two].map(() => ({ name: '***.md', content: { ok: true, text: 'of ***' } })),
    );
    expect(fixture.disk.list(`${attempt}/collected-0`)).toHaveLength(2);
  });

  it('names what is no mail, follows no link, waits for no fifo, and passes over dot files', () => {
    const fixture = open();
    fixture.begin(0, false);
    fixture.plant('secret', 'secret');
    fixture.plant(`${outbox}/.gitkeep`, '');
    fixture.plant(`${outbox}/a.md`, '../../../../secret', 'link');
    fixture.plant(`${outbox}/b.md`, '', 'fifo');
    fixture.plant(`${outbox}/c/inner.md`, 'x');
    fixture.plant(`${outbox}/d.txt`, 'x');
    fixture.plant(`${outbox}/e.md`, 'a\0b');
    fixture.plant(`${outbox}/f.md`, 'x'.repeat(4 * 1024 * 1024 + 1));
    const staged = fixture.folders.collect('t1', 2, 0);
    expect(staged.map(({ name, content }) => [name, content.ok ? content.text : content.problem])).toEqual([
      ['a.md', 'it is a link, not a file'],
      ['b.md', 'it is a fifo (named pipe), not a file'],
      ['c', 'it is a folder, not a file'],
      ['d.txt', 'its name does not end in .md'],
      ['e.md', 'it is binary: it holds NUL bytes (line 1, column 2)'],
      ['f.md', 'it has 4.1 MiB, the limit is 4 MiB'],
    ]);
  });

  it('finds nothing where the agent removed its folder, and says what it put in its place', () => {
    const fixture = open();
    fixture.begin(0, false);
    fixture.disk.remove(outbox);
    expect(fixture.folders.collect('t1', 2, 0)).toEqual([]);
    fixture.plant(outbox, '/tmp', 'link');
    const problem = 'the staging folder was replaced by a link';
    expect(fixture.folders.collect('t1', 2, 0)).toEqual([
      { name: 'outbox', content: { ok: false, problem } },
    ]);
    fixture.disk.remove('.mailroom/turns/t1');
    fixture.plant('.mailroom/turns/t1', '/tmp', 'link');
    expect(fixture.folders.collect('t1', 2, 0)).toMatchObject([{ name: 'outbox', content: { ok: false } }]);
  });

  it.each([attempt, outbox, `${attempt}/messages`, '.mailroom/turns/t1'])(
    'puts a folder back in place of a link at %s',
    (path) => {
      const fixture = open();
      fixture.begin(0, false);
      fixture.disk.remove(path);
      fixture.plant(path, '/tmp', 'link');
      fixture.folders.result('t1', 2, 0, {});
      fixture.begin(1, true);
      expect(fixture.disk.look(path)?.kind).toBe('folder');
      expect(fixture.disk.list(outbox)).toEqual([]);
      expect(read(fixture, `${attempt}/messages/first.md`)).toBe('one');
    },
  );

  it('reads none of more than a thousand files of a turn, and leaves them where they lie', () => {
    const fixture = open();
    fixture.begin(0, false);
    for (let number = 1000; number < 2000; number += 1) fixture.plant(`${outbox}/${number}.md`, 'x');
    fixture.plant(`${outbox}/.progress`, 'x');
    expect(fixture.folders.collect('t1', 2, 0)).toHaveLength(1_000);
    fixture.plant(`${outbox}/2000.md`, 'x');
    const problem = `there are more than 1000 files; they lie unread in ${attempt}`;
    expect(fixture.folders.collect('t1', 2, 1)).toEqual([
      { name: 'outbox', content: { ok: false, problem } },
    ]);
    fixture.begin(2, false);
    expect([fixture.disk.list(outbox), fixture.disk.list(`${outbox}-earlier`)]).toMatchObject([
      [],
      { length: 1_002 },
    ]);
  });

  it('stages mail that a role wrote into its outbox, and overwrites nothing', () => {
    const fixture = open();
    fixture.begin(0, false);
    for (const [text, name] of [
      ['one', 'x.md'],
      ['two', 'x-2.md'],
    ] as const) {
      fixture.plant('agents/qa/outbox/x.md', text);
      expect(fixture.folders.stage('t1', 2, { role: 'qa', name: 'x.md' })).toBe(name);
    }
    expect(fixture.folders.stage('t1', 2, { role: 'qa', name: 'x.md' })).toBe(null);
    expect([read(fixture, `${outbox}/x.md`), read(fixture, `${outbox}/x-2.md`)]).toEqual(['one', 'two']);
    expect(fixture.disk.list('agents/qa/outbox')).toEqual([]);
  });

  it('stages nothing over a link that an agent put in the place of its staging folder', () => {
    const fixture = open();
    fixture.begin(0, false);
    fixture.disk.remove(outbox);
    fixture.plant(outbox, '/tmp', 'link');
    fixture.plant('agents/qa/outbox/x.md', 'one');
    expect(fixture.folders.stage('t1', 2, { role: 'qa', name: 'x.md' })).toBe(null);
    expect(read(fixture, 'agents/qa/outbox/x.md')).toBe('one');
  });

  it('refuses names that are paths', () => {
    const { folders } = open();
    const refused = expect.objectContaining({ code: 'E_PATH' });
    const at = (turn: string) => ({ turn, attempt: 1, round: 0 });
    const nothing = { prompt: '', messages: [], keepStaging: false };
    const escape = [{ name: '../../x.md', text: '' }];
    expect(() => folders.open(at('t1'), { ...nothing, messages: escape })).toThrowError(refused);
    expect(() => folders.open(at('../t1'), nothing)).toThrowError(refused);
    expect(() => folders.stage('t1', 1, { role: 'qa', name: 'a/b.md' })).toThrowError(refused);
  });
});
