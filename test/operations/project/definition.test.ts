import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { hashOf } from '../../../src/operations/project/definition.ts';

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
