import { Mailboxes } from '../../../src/mail/mailboxes/mailboxes.ts';
import { describe, expect, it } from 'vitest';
import type { DiskFixture } from '../../disk/disk-fixtures.ts';
import { diskFixtures, cleanUp } from '../../disk/disk-fixtures.ts';
import type { Dropped } from '../../../src/mail/format/boxes.ts';

cleanUp();

const inbox = 'agents/qa/inbox';
const name = '20261121T204512345Z-task-019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27.md';
const month = '2026-11';

function dropped(file: string): Dropped {
  return { role: 'qa', box: 'inbox', name: file };
}

/** How the file is settled that no process writes. */
function settledIn(mailboxes: Mailboxes, now: number) {
  return mailboxes.settled(dropped('x.md'), mailboxes.glance(dropped('x.md'), now), 'none');
}

describe.each(diskFixtures)('Mailboxes: $name', ({ make }) => {
  function open(): DiskFixture & { mailboxes: Mailboxes } {
    const fixture = make();
    const mailboxes = new Mailboxes(fixture.disk);
    mailboxes.prepare(['qa']);
    return { ...fixture, mailboxes };
  }
  const read = (fixture: DiskFixture, path: string): string | null =>
    fixture.disk.read(path, 999)?.toString() ?? null;

  it('makes the folders and tells whose inbox was missing', () => {
    const { disk, mailboxes } = open();
    expect(mailboxes.prepare(['qa', 'engineer'])).toEqual(['engineer']);
    expect(disk.list('agents/engineer')?.toSorted()).toEqual([
      'failed',
      'inbox',
      'outbox',
      'processed',
      'sent',
    ]);
    disk.remove(inbox);
    expect(mailboxes.list('qa', 'inbox')).toBe(null);
    expect(mailboxes.prepare(['qa', 'engineer'])).toEqual(['qa']);
    expect(mailboxes.list('qa', 'inbox')).toEqual([]);
  });

  it('lists what ends in .md, sorted, and no dot files', () => {
    const { plant, mailboxes } = open();
    for (const file of ['b.md', 'a.md', '.hidden.md', 'a.md.tmp', 'notes.txt', 'x.MD'])
      plant(`${inbox}/${file}`, 'x');
    plant(`${inbox}/folder.md`, '', 'folder');
    plant(`${inbox}/pipe.md`, '', 'fifo');
    expect(mailboxes.list('qa', 'inbox')).toEqual(['a.md', 'b.md', 'folder.md', 'pipe.md']);
    expect(mailboxes.list('qa', 'outbox')).toEqual([]);
  });

  it('takes a message out of `failed` that is put back, with its reason, and nothing else', () => {
    const { disk, plant, mailboxes } = open();
    const folder = `agents/qa/failed/${month}`;
    for (const file of [name, `${name}.reason.txt`, 'other.md']) plant(`${folder}/${file}`, 'x');
    mailboxes.unfail('qa', month, name);
    expect(disk.list(folder)).toEqual(['other.md']);
    mailboxes.unfail('qa', month, name);
    expect(disk.list(folder)).toEqual(['other.md']);
  });

  it('takes a file in by its id, and lets it go', () => {
    const { disk, plant, mailboxes } = open();
    plant(`${inbox}/second.md`, 'two');
    plant('agents/qa/outbox/first.md', 'one');
    expect(mailboxes.accept(dropped('second.md'), 'id-2')).toBe(true);
    expect(mailboxes.accept(dropped('second.md'), 'id-3')).toBe(false);
    expect(mailboxes.accept({ role: 'qa', box: 'outbox', name: 'first.md' }, 'id-1')).toBe(true);
    expect(disk.list('.mailroom/accepting')?.toSorted()).toEqual(['id-1~qa~outbox', 'id-2~qa~inbox']);
    expect(mailboxes.accepting.all()).toEqual([
      { id: 'id-1', role: 'qa', box: 'outbox', name: 'first.md', content: { ok: true, text: 'one' } },
      { id: 'id-2', role: 'qa', box: 'inbox', name: 'second.md', content: { ok: true, text: 'two' } },
    ]);
    const afterCrash = new Mailboxes(disk);
    expect(afterCrash.accepting.all().map((each) => [each.id, each.name])).toEqual([
      ['id-1', null],
      ['id-2', null],
    ]);
    afterCrash.accepting.remove('id-2');
    new Mailboxes(disk).accepting.remove('id-1');
    mailboxes.accepting.remove('id-1');
    expect(disk.list('.mailroom/accepting')).toEqual([]);
    expect(mailboxes.accepting.all()).toEqual([]);
  });

  it.each(['release', 'keep'] as const)('remembers nothing of a file after %s', (end) => {
    const { disk, plant, mailboxes } = open();
    plant(`${inbox}/x.md`, 'one');
    mailboxes.accept(dropped('x.md'), 'id');
    if (end === 'release') mailboxes.accepting.remove('id');
    else mailboxes.keep('id', 'qa', month, 'x.md');
    plant('.mailroom/accepting/id~engineer~inbox', 'two');
    expect(new Mailboxes(disk).accepting.all()).toMatchObject([{ id: 'id', role: 'engineer', name: null }]);
    mailboxes.accepting.remove('id');
    mailboxes.accepting.remove('id');
    expect(mailboxes.accepting.refused()).toMatchObject([{ name: 'id~engineer~inbox' }]);
    expect(disk.list('.mailroom/accepting')).toEqual([]);
  });

  it('ignores what it did not put among the taken-in files', () => {
    const { plant, mailboxes } = open();
    for (const file of ['.DS_Store', 'x.md', 'a~b', 'id~qa~sideways', 'id~qa~inbox~more']) {
      plant(`.mailroom/accepting/${file}`, 'x');
    }
    expect(mailboxes.accepting.all()).toEqual([]);
  });

  const problems: [string, (fixture: DiskFixture) => void, string][] = [
    ['a folder', ({ plant }) => plant(`${inbox}/x.md/inner.md`, 'y'), 'it is a folder, not a file'],
    ['a fifo', ({ plant }) => plant(`${inbox}/x.md`, '', 'fifo'), 'it is a fifo (named pipe), not a file'],
    ['a link', ({ plant }) => plant(`${inbox}/x.md`, '/etc/passwd', 'link'), 'it is a link, not a file'],
    [
      'a file over 4 MiB',
      ({ plant }) => plant(`${inbox}/x.md`, Buffer.alloc(4 * 1024 * 1024 + 1, 'x')),
      'it has 4.1 MiB, the limit is 4 MiB',
    ],
    [
      'binary',
      ({ plant }) => plant(`${inbox}/x.md`, 'a\0b'),
      'it is binary: it holds NUL bytes (line 1, column 2)',
    ],
    [
      'other encodings',
      ({ plant }) => plant(`${inbox}/x.md`, Buffer.of(0x68, 0xe4, 0x0a)),
      'it is not text in UTF-8 (line 1, column 2: byte 0xe4)',
    ],
  ];

  it.each(problems)('takes in %s, names the problem and keeps it as it is', (_, plant, problem) => {
    const fixture = open();
    const { disk, mailboxes } = fixture;
    plant(fixture);
    const kind = disk.look(`${inbox}/x.md`)?.kind;
    expect(mailboxes.list('qa', 'inbox')).toEqual(['x.md']);
    expect(settledIn(mailboxes, Date.now() + 20)).toEqual({ is: 'complete' });
    expect(mailboxes.accept(dropped('x.md'), 'id')).toBe(true);
    expect(mailboxes.accepting.all()).toMatchObject([
      { id: 'id', name: 'x.md', content: { ok: false, problem } },
    ]);
    mailboxes.keep('id', 'qa', month, name);
    expect(disk.look(`agents/qa/failed/${month}/${name}`)?.kind).toBe(kind);
    expect(mailboxes.accepting.all()).toEqual([]);
    expect(mailboxes.list('qa', 'inbox')).toEqual([]);
  });

  it('takes exactly 4 MiB', () => {
    const { plant, mailboxes } = open();
    plant(`${inbox}/x.md`, Buffer.alloc(4 * 1024 * 1024, 'x'));
    mailboxes.accept(dropped('x.md'), 'id');
    expect(mailboxes.accepting.all()[0]?.content.ok).toBe(true);
  });

  it('keeps two failed files of one name apart, also after a crash', () => {
    const fixture = open();
    const { disk, plant, mailboxes } = fixture;
    for (const [id, text] of [
      ['id-1', 'one'],
      ['id-2', 'two'],
    ] as const) {
      plant(`${inbox}/x.md`, text);
      mailboxes.accept(dropped('x.md'), id);
    }
    expect(new Mailboxes(disk).keep('id-1', 'qa', month, 'x.md')).toBe(true);
    expect(mailboxes.keep('id-2', 'qa', month, 'x.md')).toBe(true);
    expect(mailboxes.keep('id-2', 'qa', month, 'x.md')).toBe(false);
    expect(mailboxes.keep('id-1', 'qa', month, 'x.md')).toBe(false);
    expect(read(fixture, `agents/qa/failed/${month}/x.md`)).toBe('one');
    expect(read(fixture, `agents/qa/failed/${month}/x-2.md`)).toBe('two');
  });

  it('puts files, and finds them in any month', () => {
    const fixture = open();
    const { mailboxes } = fixture;
    mailboxes.put('qa', 'inbox', month, name, 'in');
    mailboxes.put('qa', 'failed', month, name, 'failed');
    mailboxes.put('qa', 'failed', month, `${name}.reason.txt`, 'because');
    mailboxes.put('qa', 'sent', '2026-12', name, 'late');
    mailboxes.put('qa', 'processed', month, 'unusual.md', 'odd');
    mailboxes.put('qa', 'withdrawn', month, name, 'gone');
    expect(read(fixture, `${inbox}/${name}`)).toBe('in');
    expect(read(fixture, `agents/qa/failed/${month}/${name}.reason.txt`)).toBe('because');
    expect(mailboxes.read('qa', 'inbox', name)).toBe('in');
    expect(mailboxes.read('qa', 'failed', name)).toBe('failed');
    expect(mailboxes.read('qa', 'sent', name)).toBe('late');
    expect(mailboxes.read('qa', 'processed', 'unusual.md')).toBe('odd');
    expect(mailboxes.read('qa', 'processed', name)).toBe(null);
    expect(mailboxes.read('qa', 'withdrawn', name)).toBe(null);
    const holding = (['inbox', 'failed', 'sent', 'processed', 'withdrawn'] as const).filter((folder) =>
      mailboxes.holds('qa', folder, name),
    );
    expect(holding).toEqual(['inbox', 'failed', 'sent']);
    expect(mailboxes.holds('nobody', 'sent', name)).toBe(false);
  });

  it('says so when what it should read is no text', () => {
    const { plant, mailboxes } = open();
    plant(`agents/qa/failed/${month}/${name}`, 'a\0b');
    const binary = {
      code: 'E_FILE',
      message: `cannot read agents/qa/failed/${month}/${name}: it is binary: it holds NUL bytes (line 1, column 2)`,
    };
    expect(() => mailboxes.read('qa', 'failed', name)).toThrowError(expect.objectContaining(binary));
  });

  it('files what waits, or writes it where nothing waits', () => {
    const fixture = open();
    const { mailboxes } = fixture;
    const place = `agents/qa/processed/${month}/${name}`;
    mailboxes.put('qa', 'inbox', month, name, 'words');
    mailboxes.file('qa', 'processed', month, name, 'words');
    expect([read(fixture, place), mailboxes.list('qa', 'inbox')]).toEqual(['words', []]);
    mailboxes.file('qa', 'processed', month, name, 'words');
    expect(read(fixture, place)).toBe('words');
    fixture.disk.remove(place);
    mailboxes.file('qa', 'processed', month, name, 'words');
    expect(read(fixture, place)).toBe('words');
    mailboxes.file('qa', 'inbox', month, name, 'words');
    expect(mailboxes.list('qa', 'inbox')).toEqual([name]);
    mailboxes.file('qa', 'withdrawn', month, name, 'words');
    mailboxes.file('qa', 'withdrawn', month, name, 'words');
    expect(mailboxes.list('qa', 'inbox')).toEqual([]);
  });

  it.each(['file', 'folder', 'link', 'fifo'] as const)(
    'files the words of the journal, not a %s put in their place',
    (kind) => {
      const fixture = open();
      fixture.plant(`${inbox}/${name}`, 'edited by somebody', kind);
      fixture.mailboxes.file('qa', 'processed', month, name, 'words');
      expect(read(fixture, `agents/qa/processed/${month}/${name}`)).toBe('words');
      expect(fixture.mailboxes.list('qa', 'inbox')).toEqual([]);
    },
  );

  it('files the words of the journal, not others of the same length put in their place', () => {
    const fixture = open();
    fixture.plant(`${inbox}/${name}`, 'Words');
    fixture.mailboxes.file('qa', 'processed', month, name, 'words');
    expect(read(fixture, `agents/qa/processed/${month}/${name}`)).toBe('words');
    expect(fixture.mailboxes.list('qa', 'inbox')).toEqual([]);
  });

  it('removes from a box what is there', () => {
    const { plant, mailboxes } = open();
    plant('agents/qa/outbox/x.md', 'x');
    mailboxes.remove('qa', 'outbox', 'x.md');
    mailboxes.remove('qa', 'outbox', 'x.md');
    expect(mailboxes.list('qa', 'outbox')).toEqual([]);
  });

  it('refuses names that are paths', () => {
    const { mailboxes } = open();
    const refused = expect.objectContaining({ code: 'E_PATH' });
    expect(() => mailboxes.put('qa', 'inbox', month, '../../escape.md', 'x')).toThrowError(refused);
    expect(() => mailboxes.put('..', 'inbox', month, 'x.md', 'x')).toThrowError(refused);
    expect(() => mailboxes.put('qa', 'sent', '../x', 'x.md', 'x')).toThrowError(refused);
    expect(() => mailboxes.accept(dropped('a/b.md'), 'id')).toThrowError(refused);
    expect(() => mailboxes.list('a/b', 'inbox')).toThrowError(refused);
  });

  it('refuses an inbox that a link leads out of the project', () => {
    const { disk, plant, mailboxes } = open();
    disk.remove(inbox);
    plant(inbox, '/tmp', 'link');
    expect(() => mailboxes.list('qa', 'inbox')).toThrowError(expect.objectContaining({ code: 'E_PATH' }));
  });

  it('says that it cannot read an inbox that is a file', () => {
    const { disk, plant, mailboxes } = open();
    disk.remove(inbox);
    plant(inbox, 'x');
    expect(() => mailboxes.list('qa', 'inbox')).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
  });
});

describe.each(diskFixtures)('Mailboxes.settled: $name', ({ make }) => {
  const at = 1_700_000_000_000;

  function open(): (text: string, mtime: number) => (now: number) => unknown {
    const { disk, plant, touch } = make();
    const mailboxes = new Mailboxes(disk);
    return (text, mtime) => {
      disk.remove(`${inbox}/x.md`);
      plant(`${inbox}/x.md`, text);
      touch(`${inbox}/x.md`, mtime);
      return (now) => settledIn(mailboxes, now);
    };
  }

  it('counts a file that changed 10 ms ago', () => {
    const settled = open()('x', at);
    expect(settled(at + 9)).toEqual({ is: 'wait', until: at + 10 });
    expect(settled(at + 10)).toEqual({ is: 'complete' });
  });

  it('counts at once what changed long ago', () => {
    expect(open()('x', at)(at + 10)).toEqual({ is: 'complete' });
  });

  it('looks twice when the time of change lies ahead', () => {
    const settled = open()('x', at + 60_000);
    expect(settled(at)).toEqual({ is: 'wait', until: at + 10 });
    expect(settled(at + 9)).toEqual({ is: 'wait', until: at + 10 });
    expect(settled(at + 10)).toEqual({ is: 'complete' });
  });

  it('begins again when the file changed in between', () => {
    const write = open();
    expect(write('x', at)(at + 5)).toEqual({ is: 'wait', until: at + 10 });
    const settled = write('xy', at + 8);
    expect(settled(at + 12)).toEqual({ is: 'wait', until: at + 18 });
    expect(settled(at + 18)).toEqual({ is: 'complete' });
  });

  const lacking: [string, string][] = [
    ['', 'it is empty'],
    [
      '---\ntype: task\n',
      'its front matter is not closed: the first line is `---`, and no other line within 64 KiB is `---`',
    ],
  ];

  it.each(lacking)('waits 2 s for the rest of %j, then refuses it', (text, problem) => {
    const write = open();
    const settled = write(text, at);
    expect(settled(at + 50)).toEqual({ is: 'wait', until: at + 150 });
    expect(settled(at + 2_000)).toEqual({ is: 'wait', until: at + 2_050 });
    expect(settled(at + 2_050)).toEqual({ is: 'refuse', problem });
    expect(write('whole', at + 2_060)(at + 2_070)).toEqual({ is: 'complete' });
  });

  it('does not refuse what is still being written', () => {
    const write = open();
    write('---\n', at)(at + 1);
    expect(write('---\na: 1\n', at + 3_000)(at + 3_001)).toEqual({ is: 'wait', until: at + 3_010 });
  });

  it.each([
    ['---\ntype: task\n---\nbody', 'complete'],
    ['---\ntype: task\n---', 'complete'],
    ['---\r\ntype: task\r\n---\r\nbody', 'complete'],
    ['\ufeff---\ntype: task\n---\nbody', 'complete'],
    ['\ufeff---\ntype: task\n', 'wait'],
    ['---\r\ntype: task\r\n', 'wait'],
    ['---', 'wait'],
    ['----\nno front matter', 'complete'],
    ['--- yaml\nno front matter', 'complete'],
    ['# heading\n---\n', 'complete'],
    ['---\ntype: task\n --- \n----\n', 'wait'],
    [`---\ntext: ${'x'.repeat(70_000)}\n---\n`, 'wait'],
  ])('finds %j %s', (text, is) => {
    expect(open()(text, at)(at + 20)).toMatchObject({ is });
  });

  it('knows nothing of a file that was accepted when another of its name comes', () => {
    const { disk, plant, touch } = make();
    const mailboxes = new Mailboxes(disk);
    for (const [id, now] of [
      ['id-1', at + 20],
      ['id-2', at + 3_000],
    ] as const) {
      plant(`${inbox}/x.md`, '');
      touch(`${inbox}/x.md`, at);
      expect(settledIn(mailboxes, now)).toMatchObject({ is: 'wait' });
      expect(mailboxes.accept(dropped('x.md'), id)).toBe(true);
    }
  });

  it('answers gone, and knows nothing of an earlier file of that name', () => {
    const { disk, plant, touch } = make();
    const mailboxes = new Mailboxes(disk);
    const drop = (mtime: number): void => {
      plant(`${inbox}/x.md`, '');
      touch(`${inbox}/x.md`, mtime);
    };
    drop(at);
    expect(settledIn(mailboxes, at + 20)).toMatchObject({ is: 'wait' });
    disk.remove(`${inbox}/x.md`);
    expect(settledIn(mailboxes, at + 30)).toEqual({ is: 'gone' });
    drop(at);
    expect(settledIn(mailboxes, at + 2_040)).toMatchObject({ is: 'wait' });
    disk.remove(`${inbox}/x.md`);
    mailboxes.list('qa', 'inbox');
    drop(at);
    expect(settledIn(mailboxes, at + 5_000)).toMatchObject({ is: 'wait' });
  });
});
