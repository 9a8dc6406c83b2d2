import process from 'node:process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { hashOf, readDefinition, SettingsReader } from '../../../src/project/definition/definition.ts';

const files = {
  'mailroom.yaml': 'trail: off\n',
  'agents.yaml': 'agents: {}\n',
  'protocols/team.yaml': 'extends: ../shared/base.yaml\nname: team\n',
  'shared/base.yaml': 'version: "1"\n',
};

function projectOf(texts: Readonly<Record<string, string>>): RealDisk {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-test-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return new RealDisk(root);
}

it.each(Object.keys(files))('the hash of the settings is another one once %s is edited', (path) => {
  const before = hashOf(projectOf(files));
  expect(hashOf(projectOf({ ...files, 'other.txt': 'x' }))).toBe(before);
  expect(hashOf(projectOf({ ...files, [path]: `${files[path as keyof typeof files]}# edited\n` }))).not.toBe(
    before,
  );
});

it('reports the problems of all files at once, and none that follow from another', async () => {
  const disk = projectOf({
    'mailroom.yaml': 'defaults: { provider: claud, timeout: soon }\n',
    'agents.yaml': 'agents:\n  reader: { provider: claude, modell: opus }\n  writer: { provider: codx }\n',
    'protocols/team.yaml': `name: team
roles:
  a: { agent: reader, capabilities: [REED] }
  b: { agent: writer }
  c: { provider: local }
messages:
  task: { from: user, to: [b, d] }
`,
  });
  const read = await readDefinition(
    disk,
    new SettingsReader(disk, { packageRoot: '/nowhere', environment: process.env }),
  );
  expect(read.ok ? [] : read.problems.map(({ place, message }) => `${place?.file}: ${message}`)).toEqual([
    'mailroom.yaml: `timeout` must be a duration such as 200ms, 30s, 5m or 1h30m',
    'agents.yaml: `modell` is not a key of an agent',
    'protocols/team.yaml: an item of `capabilities` must be READ, EDIT, RUN_TESTS or RUN_COMMANDS',
    'protocols/team.yaml: no role is called `d`',
  ]);
  const wrong = projectOf({ 'agents.yaml': 'agents: [', 'mailroom.yaml': 'trail: on\n' });
  const rest = await readDefinition(
    wrong,
    new SettingsReader(wrong, { packageRoot: '/', environment: process.env }),
  );
  expect(rest.ok ? [] : rest.problems.map(({ code }) => code)).toEqual(['E_VALUE', 'E_YAML']);
});

it.each(Object.keys(files))('parses the settings again only once %s is edited', async (path) => {
  const whole = { ...files, 'shared/base.yaml': 'version: "1"\nroles: { a: { provider: human } }\n' };
  const disk = projectOf({
    ...whole,
    'protocols/more.yaml': 'messages: { note: { from: user, to: a } }\n',
  });
  const reader = new SettingsReader(disk, { packageRoot: '/nowhere', environment: process.env });
  const configOf = async () => {
    const read = await reader.read();
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.value.config;
  };
  const first = await configOf();
  expect(await configOf()).toBe(first);
  disk.write(path, `${whole[path as keyof typeof whole]}# edited\n`);
  const edited = await configOf();
  expect(edited).not.toBe(first);
  expect(await configOf()).toBe(edited);
});

it('sees that a file that the protocol extends has gone, and is back', async () => {
  const disk = projectOf({
    ...files,
    'protocols/team.yaml':
      'extends: ../shared/base.yaml\nroles: { a: { provider: human } }\nmessages: { note: { from: user, to: a } }\n',
  });
  const reader = new SettingsReader(disk, { packageRoot: '/nowhere', environment: process.env });
  const base = join(disk.root, 'shared/base.yaml');
  expect((await reader.read()).ok).toBe(true);
  renameSync(base, `${base}.away`);
  expect(await reader.read()).toMatchObject({ ok: false, problems: [{ code: 'E_REFERENCE' }] });
  renameSync(`${base}.away`, base);
  expect((await reader.read()).ok).toBe(true);
});
