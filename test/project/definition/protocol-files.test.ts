import { describe, expect, it } from 'vitest';
import { readProtocol } from '../../../src/project/definition/protocol-files.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

function diskWith(files: Readonly<Record<string, string>>): MemoryDisk {
  const disk = new MemoryDisk();
  for (const [path, text] of Object.entries(files)) disk.plant(path, text);
  return disk;
}

function read(disk: MemoryDisk): Protocol {
  const { files, problems } = readProtocol(disk);
  const parsed = parseProtocol(files, undefined, { problems });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.value;
}

const base = `
name: base
limits: { corrections: 7, nesting: 5 }
roles: { writer: { provider: codex, timeout: 5m }, editor: { provider: codex } }
messages: { task: { from: user, to: writer }, done: { from: [writer, editor], to: user, closes: true } }
start: { type: task, to: writer }
`;

describe('a protocol that extends files', () => {
  it('replaces their definitions whole, and takes the others', () => {
    const protocol = read(
      diskWith({
        'shared/base.yaml': base,
        'protocols/team.yaml':
          'extends: ../shared/base.yaml\nname: team\nlimits: { corrections: 1 }\nroles: { writer: { provider: claude } }\n',
      }),
    );
    expect(protocol.name).toBe('team');
    expect(protocol.roles.get('writer')).toMatchObject({ provider: 'claude', timeout: 7_200_000 });
    expect(protocol.roles.get('editor')).toMatchObject({ provider: 'codex' });
    expect(protocol.limits).toMatchObject({ corrections: 1, nesting: 3 });
    expect(protocol.start).toEqual({ type: 'task', to: 'writer' });
  });

  it('lets a later entry of the list replace what an earlier one defines', () => {
    const later = 'roles: { writer: { provider: gemini } }\n';
    const disk = diskWith({
      'a/base.yaml': base,
      'b/later.yaml': later,
      'protocols/team.yaml': 'extends: [../a/base.yaml, ../b]\n',
    });
    expect(read(disk).roles.get('writer')?.provider).toBe('gemini');
  });

  it('reads a file once that two of its files extend, and finds packages in folders above', () => {
    const disk = diskWith({
      'node_modules/@acme/rules/base.yaml': base,
      'protocols/one.yaml': "extends: '@acme/rules/base.yaml'\nroles: { writer: { provider: gemini } }\n",
      'protocols/two.yaml': "extends: ['@acme/rules/base.yaml']\nroles: { editor: { provider: claude } }\n",
    });
    expect(readProtocol(disk).files.map(({ file }) => file)).toEqual([
      'node_modules/@acme/rules/base.yaml',
      'protocols/one.yaml',
      'protocols/two.yaml',
    ]);
    expect([...read(disk).roles.values()].map(({ provider }) => provider)).toEqual([
      'human',
      'gemini',
      'claude',
    ]);
  });

  it('still reports what two of its own files define, and replaces a wrong definition by a right one', () => {
    const own = (text: string) => `extends: ../shared/base.yaml\n${text}`;
    const disk = diskWith({
      'shared/base.yaml': base,
      'protocols/one.yaml': own('roles: { writer: { provider: gemini } }\n'),
      'protocols/two.yaml': own('roles: { writer: { provider: claude } }\n'),
    });
    expect(() => read(disk)).toThrowError('the role `writer` is defined twice');
  });

  it('follows no link, which an agent could replace, and none out of the project', () => {
    const disk = diskWith({
      'store/rules/base.yaml': base,
      'protocols/team.yaml': 'extends: [rules/base.yaml, ../away.yaml]\n',
    });
    disk.plant('node_modules/rules', '../store/rules', 'link');
    disk.plant('away.yaml', '/etc/hosts', 'link');
    const { problems } = readProtocol(disk);
    expect(problems.map(({ code, hint }) => `${code}: ${hint}`)).toEqual([
      'E_PATH: extend what it leads to: `../store/rules/base.yaml`',
      expect.stringContaining('E_PATH: '),
    ]);
  });
});
