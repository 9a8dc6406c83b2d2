import { describe, expect, it } from 'vitest';
import { mailMatching } from '../../../src/mail/mailboxes/mail-files.ts';
import { misplacedMail, misplacedText } from '../../../src/mail/mailboxes/misplaced.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { diskFixtures, cleanUp } from '../../disk/disk-fixtures.ts';

cleanUp();

const protocol = { roles: new Map(['user', 'architect', 'qa'].map((role) => [role, {} as never])) };

describe.each(diskFixtures)('misplaced mail: $name', ({ make }) => {
  const found = (files: readonly string[], ...inboxPatterns: string[]): string[] => {
    const { disk, plant } = make();
    for (const file of files) plant(file, 'x');
    return misplacedMail(disk, protocol, { inboxPatterns }).map(misplacedText);
  };

  it('is none where everything is in its place, and for notes and files that programs leave behind', () => {
    const placed = ['qa/inbox/a.md', 'qa/outbox/b.md', 'qa/processed/2026-11/c.md', 'qa/failed/x.reason.txt'];
    const notes = ['qa/role.md', 'qa/README.md', 'qa/CLAUDE.md', 'qa/notes/plan.md', 'qa/data.json'];
    const left = ['qa/inbox/.a.md.swp', 'qa/inbox/a.md~', 'qa/inbox/a.md.tmp', 'rehearsal.mjs', 'note.md'];
    const others = ['langchain/index.js', 'langchain/readme.md'];
    expect(found([...placed, ...notes, ...left, ...others].map((file) => `agents/${file}`))).toEqual([]);
    expect(found([])).toEqual([]);
  });

  it('in the boxes of a role that does not exist belongs to the nearest one', () => {
    expect(found(['agents/architct/inbox/a.md', 'agents/architct/outbox/b.txt'])).toEqual([
      'agents/architct/inbox/a.md is not read: no role is called `architct`; move it to agents/architect/inbox/',
      'agents/architct/outbox/b.txt is not read: no role is called `architct`; move it to agents/architect/outbox/',
    ]);
    expect(found(['agents/designer/inbox/a.md'])).toEqual([
      'agents/designer/inbox/a.md is not read: no role is called `designer`; move it to the inbox of a role: `user`, `architect`, `qa`',
    ]);
  });

  it('under a name that is not one of mail is renamed, or accepted by a pattern', () => {
    const files = ['agents/qa/inbox/task.txt', 'agents/qa/inbox/a.md'];
    expect(found(files)).toEqual([
      "agents/qa/inbox/task.txt is not read: the name of a message ends in .md; rename it, or set `inbox_patterns: ['*.txt']` in mailroom.yaml",
    ]);
    expect(found(files, '*.txt')).toEqual([]);
    expect(found(files, '*.text')).toHaveLength(1);
  });

  it('beside the boxes, or in a folder almost named like one, is named with its box', () => {
    expect(found(['agents/qa/b.md', 'agents/qa/Inbox/c.md', 'agents/qa/oubox/d.txt'])).toEqual([
      'agents/qa/b.md is not read: it is not in the inbox; move mail to agents/qa/inbox/, and other files to a folder',
      'agents/qa/Inbox/c.md is not read: no box has this name; move it to agents/qa/inbox/',
      'agents/qa/oubox/d.txt is not read: no box has this name; move it to agents/qa/outbox/',
    ]);
  });

  it.each(['user', 'qa'])('under a wrong name in the outbox of %s is named as in an inbox', (role) => {
    const names = ['a.MD', 'b.markdown', 'c.txt', 'd', 'e.md.txt', 'f .md '];
    for (const name of names)
      expect(found([`agents/${role}/outbox/${name}`], '*.txt', '*')).toEqual([
        `agents/${role}/outbox/${name} is not read: the name of a message ends in .md; rename it`,
      ]);
    const temporary = ['.a.md', 'b.md~', 'c.md.tmp', 'd.part', 'e.swp', 'f.bak', 'g.md'];
    expect(found(temporary.map((name) => `agents/${role}/outbox/${name}`))).toEqual([]);
  });

  it.each(['inbox', 'outbox'])('is named in a folder, and behind a link or pipe, of an %s', (box) => {
    const { disk, plant } = make();
    plant(`agents/qa/${box}/batch/1.md`, 'x');
    plant(`agents/qa/${box}/linked`, '../role.md', 'link');
    plant(`agents/qa/${box}/pipe`, '', 'fifo');
    expect(misplacedMail(disk, protocol, { inboxPatterns: [] }).map(({ message }) => message)).toEqual([
      `agents/qa/${box}/linked, pipe are not read: the name of a message ends in .md`,
      `agents/qa/${box}/batch is not read: it is a folder`,
    ]);
  });

  it('looks at no more than some entries of a folder, whoever filled it', () => {
    const disk = new MemoryDisk();
    let looks = 0;
    disk.beforeRead = () => void (looks += 1);
    for (const [name, count] of [
      ['qa/outbox', 20_000],
      ['qa/inbox', 20_000],
      ['qa/outbx', 20_000],
      ['qa', 20_000],
      ['qb/inbox', 20_000],
    ] as const)
      for (let number = 0; number < count; number += 1) disk.plant(`agents/${name}/${number}.txt`, 'x');
    const misplaced = misplacedMail(disk, protocol, { inboxPatterns: [] }).map(misplacedText);
    expect(misplaced).toHaveLength(4);
    expect(misplaced[1]).toMatch(/^agents\/qa\/outbox\/\S+, \S+, \S+ and at least 997 more are not read/);
    expect(disk.listed).toBeLessThan(7_000);
    expect(looks).toBeLessThan(1_500);
  });

  it('names the first three of many, and counts the rest', () => {
    const many = [5, 4, 3, 2, 1].map((number) => `agents/qa/inbox/${String(number)}.txt`);
    expect(found(many)).toEqual([
      expect.stringMatching(/^agents\/qa\/inbox\/1\.txt, 2\.txt, 3\.txt and 2 more are not read: /),
    ]);
  });
});

describe('inbox_patterns', () => {
  it('add to *.md, and never make a hidden file a message', () => {
    const isMail = mailMatching(['*.txt', 'task-*']);
    const names = ['a.md', 'a.txt', 'task-1', 'a.TXT', '.a.txt', '.a.md', 'a.md.tmp', 'a\nb.txt'];
    expect(names.filter(isMail)).toEqual(['a.md', 'a.txt', 'task-1', 'a\nb.txt']);
  });
});
