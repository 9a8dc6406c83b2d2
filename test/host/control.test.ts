import { sealed, writeSealed } from '../../src/host/seal.ts';
import { Control, ControlReader, requestControl } from '../../src/host/control.ts';
import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../src/kernel/errors.ts';
import { diskFixtures, cleanUp } from '../disk/disk-fixtures.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

cleanUp();

describe.each(diskFixtures)('Control: $name', ({ make }) => {
  it('hands over what was asked for, oldest first, until it is removed', () => {
    const { disk } = make();
    const control = new Control(disk);
    expect(control.list()).toEqual([]);
    expect(requestControl(disk, '019b', { verb: 'unpause' })).toBe('019b.json');
    requestControl(disk, '019a', { verb: 'pause', target: { kind: 'all' } });
    const files = control.list();
    expect(files.map(({ name }) => name)).toEqual(['019a.json', '019b.json']);
    expect(JSON.parse(files[0]?.text ?? '')).toEqual({ verb: 'pause', target: { kind: 'all' } });
    control.remove('019a.json');
    control.remove('019a.json');
    expect(control.list().map(({ name }) => name)).toEqual(['019b.json']);
  });

  it('keeps the commands of a run in the folder of the run', () => {
    const { disk } = make();
    requestControl(disk, '019a', {}, '.mailroom/runs/r1/control');
    expect(new Control(disk).list()).toEqual([]);
    expect(new Control(disk, '.mailroom/runs/r1/control').list()).toHaveLength(1);
  });

  it('names what it cannot read, waits for no fifo, and passes over what is no command', () => {
    const { disk, plant } = make();
    plant('.mailroom/control/.hidden.json', '{}');
    plant('.mailroom/control/notes.txt', '{}');
    plant('.mailroom/control/a.json', '', 'fifo');
    plant('.mailroom/control/b.json', '', 'folder');
    plant('.mailroom/control/c.json', Buffer.alloc(1024 * 1024 + 1, '1'));
    expect(new Control(disk).list()).toEqual([
      { name: 'a.json', text: null, problem: 'it is a fifo (named pipe), not a file' },
      { name: 'b.json', text: null, problem: 'it is a folder, not a file' },
      { name: 'c.json', text: null, problem: 'it has 1.1 MiB, the limit is 1 MiB' },
    ]);
  });
});

describe('ControlReader', () => {
  it('takes a flood in parts, and names few of its files', () => {
    const disk = new MemoryDisk();
    for (let file = 0; file < 2_500; file += 1) disk.plant(`run/control/${String(file)}.json`, '{}');
    disk.plant('run/control/note.txt', '');
    requestControl(disk, 'last', {}, 'run/control');
    const followed: string[] = [];
    const refused: number[] = [];
    const reader = new ControlReader<string>(new Control(disk, 'run/control'), {
      read: (text) => ({ ok: true, value: text }),
      follow: (text) => void followed.push(text),
      refused: ({ others }) => void refused.push(others),
    });
    const looks = Array.from({ length: 4 }, () => {
      reader.take();
      reader.release();
      return { more: reader.more, refused: refused.splice(0), followed: followed.splice(0).length };
    });
    const nine = Array.from({ length: 9 }, () => 0);
    expect(looks).toEqual([
      { more: true, refused: [...nine, 990], followed: 0 },
      { more: true, refused: [999], followed: 0 },
      { more: false, refused: [499], followed: 1 },
      { more: false, refused: [], followed: 0 },
    ]);
    expect(disk.list('run/control')).toEqual(['note.txt']);
  });

  it('does not look again at once for files that cannot be put aside', () => {
    const disk = new MemoryDisk();
    for (let file = 0; file < 1_000; file += 1) disk.plant(`run/control/${String(file)}.json`, '{}');
    const reader = new ControlReader<string>(new Control(disk, 'run/control'), {
      read: (text) => ({ ok: true, value: text }),
      follow: () => {},
      refused: () => {},
    });
    reader.take();
    const first = reader.more;
    reader.take();
    expect([first, reader.more]).toEqual([true, false]);
  });

  it('reports a file once that it can neither follow nor put aside, and never follows it later', () => {
    const disk = new MemoryDisk();
    const said: string[] = [];
    const reader = new ControlReader<string>(new Control(disk, 'run/control'), {
      read: (text) => (text === 'good\n' ? { ok: true, value: text } : { ok: false, problem: 'it is bad' }),
      follow: (text) => void said.push(text),
      refused: ({ path, problem }) => void said.push(`${path}: ${problem}`),
    });
    writeSealed(disk, 'run/control/a.json', 'bad');
    disk.before = ({ kind }) => {
      if (kind === 'rename') throw new MailroomError('E_DISK', 'cannot move it');
    };
    reader.take();
    expect(() => reader.release()).toThrowError('cannot move it');
    const good = sealed(disk, 'run/control/a.json', 'good');
    disk.plant('run/control/a.json', good);
    reader.take();
    disk.before = null;
    reader.release();
    reader.take();
    expect(said).toEqual(['run/control/a.json: it is bad']);
    expect(disk.list('run/control')).toEqual([]);
    expect(disk.read('run/refused/a.json', 100)?.toString()).toBe(good);
  });
});
