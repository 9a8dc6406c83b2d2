import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { readProtocol } from '../../../src/project/definition/protocol-files.ts';
import {
  appendMissingLines,
  readConfigFile,
  listProtocolFiles,
  readRoleFile,
  removeOldTemporaries,
  writeMissing,
} from '../../../src/project/definition/project-files.ts';

const text = (disk: MemoryDisk, path: string): string | undefined => disk.read(path, 9_999)?.toString();

describe('definitions', () => {
  it('are read in the order of their names, and none of something else', () => {
    const disk = new MemoryDisk();
    expect([
      listProtocolFiles(disk, 'protocols'),
      readConfigFile(disk, 'mailroom.yaml'),
      readRoleFile(disk, 'qa'),
    ]).toEqual([[], null, null]);
    for (const name of ['b.yaml', 'a.yml', '.c.yaml', 'd.yaml.bak', 'README.md'])
      disk.plant(`protocols/${name}`, name);
    disk.plant('mailroom.yaml', 'trail: off');
    disk.plant('agents/qa/role.md', 'You test.');
    expect(listProtocolFiles(disk, 'protocols')).toEqual(['protocols/a.yml', 'protocols/b.yaml']);
    expect(readConfigFile(disk, 'mailroom.yaml')).toEqual({ path: 'mailroom.yaml', text: 'trail: off' });
    expect(readRoleFile(disk, 'qa')).toEqual({ path: 'agents/qa/role.md', text: 'You test.' });
  });

  it('are none where an empty folder keeps the place, and refused where something lies in it', () => {
    const disk = new MemoryDisk();
    disk.makeFolder('mailroom.yaml');
    expect(readConfigFile(disk, 'mailroom.yaml')).toBeNull();
    disk.plant('mailroom.yaml/more', '');
    expect(() => readConfigFile(disk, 'mailroom.yaml')).toThrowError('cannot read mailroom.yaml');
  });

  it('may be links inside the project, and must not lead out of it', () => {
    const disk = new MemoryDisk();
    disk.plant('.claude/agents/qa.md', 'You test.');
    disk.plant('agents/qa/role.md', '../../.claude/agents/qa.md', 'link');
    expect(readRoleFile(disk, 'qa')).toEqual({ path: 'agents/qa/role.md', text: 'You test.' });
    disk.plant('mailroom.yaml', '/etc/passwd', 'link');
    expect(() => readConfigFile(disk, 'mailroom.yaml')).toThrowError(
      expect.objectContaining({ code: 'E_PATH' }),
    );
  });

  it.each([
    ['x'.repeat(256 * 1024 + 1), 'cannot read protocols/a.yaml: it has 256.1 KiB, the limit is 256 KiB'],
    ['a\0b', 'cannot read protocols/a.yaml: it is binary: it holds NUL bytes (line 1, column 2)'],
  ])('are refused when they are no text of a sensible size', (content, message) => {
    const disk = new MemoryDisk();
    disk.plant('protocols/a.yaml', content);
    expect(() => readProtocol(disk)).toThrowError(expect.objectContaining({ code: 'E_FILE', message }));
  });
});

describe('writeMissing', () => {
  it('writes what is not there, keeps what is, and tells', () => {
    const disk = new MemoryDisk();
    disk.plant('agents/qa/role.md', 'mine');
    disk.plant('link.md', 'nowhere', 'link');
    const files = ['agents/qa/role.md', 'protocols/team.yaml', 'link.md'].map((path) => ({
      path,
      text: 'ours',
    }));
    expect(writeMissing(disk, files)).toEqual(['protocols/team.yaml']);
    expect([text(disk, 'agents/qa/role.md'), text(disk, 'protocols/team.yaml')]).toEqual(['mine', 'ours']);
    expect(writeMissing(disk, files)).toEqual([]);
  });
});

describe('appendMissingLines', () => {
  const lines = ['.mailroom/', 'agents/*/inbox/'];

  it.each([
    [null, '.mailroom/\nagents/*/inbox/\n', lines],
    ['node_modules', 'node_modules\n.mailroom/\nagents/*/inbox/\n', lines],
    ['.mailroom/ \ndist\n', '.mailroom/ \ndist\nagents/*/inbox/\n', ['agents/*/inbox/']],
    ['a\r\nb', 'a\r\nb\r\n.mailroom/\r\nagents/*/inbox/\r\n', lines],
    ['.mailroom/\nagents/*/inbox/', '.mailroom/\nagents/*/inbox/', []],
  ])('makes of %j what it should', (before, after, added) => {
    const disk = new MemoryDisk();
    if (before !== null) disk.plant('.gitignore', before);
    expect(appendMissingLines(disk, '.gitignore', lines)).toEqual(added);
    expect(text(disk, '.gitignore')).toBe(after);
  });

  it('writes through a link, and refuses what is no text', () => {
    const disk = new MemoryDisk();
    disk.plant('shared/ignore', 'a\n');
    disk.plant('.gitignore', 'shared/ignore', 'link');
    appendMissingLines(disk, '.gitignore', ['b']);
    expect([text(disk, 'shared/ignore'), disk.look('.gitignore')?.kind]).toEqual(['a\nb\n', 'link']);
    disk.plant('other', 'a\0b');
    const refused = expect.objectContaining({ code: 'E_FILE' });
    expect(() => appendMissingLines(disk, 'other', ['b'])).toThrowError(refused);
  });
});

describe('removeOldTemporaries', () => {
  it('removes what is older than an hour', () => {
    let now = 0;
    const disk = new MemoryDisk(() => now);
    removeOldTemporaries(disk, now);
    disk.plant('.mailroom/tmp/old', 'x');
    now = 1_000;
    disk.plant('.mailroom/tmp/new', 'x');
    removeOldTemporaries(disk, 3_600_001);
    expect(disk.list('.mailroom/tmp')).toEqual(['new']);
  });
});
