import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { copyTemplate } from '../../../src/operations/project/scaffold.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const templates = new RealDisk(fileURLToPath(new URL('../../../templates', import.meta.url)));

function project(template: string, provider: string) {
  const disk = new MemoryDisk(() => 0);
  const text = (path: string) => disk.read(path, 100_000)?.toString('utf8') ?? '';
  return { disk, text, ...copyTemplate(templates, template, disk, provider) };
}

test('a project has the files of the base template, and those of its own in their place', () => {
  const base = project('feature-team', 'rehearsal');
  const own = project('calculator', 'rehearsal');
  expect(own.kept).toEqual([]);
  const added = own.written.filter((path) => !base.written.includes(path));
  expect(added.toSorted()).toEqual(['package.json', 'src/calculator.mjs', 'test/calculator.test.mjs']);
  const differs = base.written.filter((path) => own.text(path) !== base.text(path));
  expect(differs).toEqual(['protocols/feature-team.yaml']);
  expect(base.written).toContain('agents/rehearsal.mjs');
});

test('its roles use the chosen provider, and .gitignore has the lines of the template', () => {
  const { text } = project('calculator', 'claude');
  expect(text('mailroom.yaml')).toContain('\n  provider: claude\n');
  expect(text('.gitignore')).toContain('.mailroom/');
});
