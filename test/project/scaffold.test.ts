import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copyTemplate, layered, layersOf } from '../../src/project/scaffold.ts';
import { readTemplate } from '../../src/project/template.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const templates = fileURLToPath(new URL('../../templates', import.meta.url));

async function project(template: string, provider: string) {
  const layers = layersOf(template).map((name) => readTemplate(`./${name}`, templates));
  const disk = new MemoryDisk(() => 0);
  const text = (path: string) => disk.read(path, 100_000)?.toString('utf8') ?? '';
  return { disk, text, ...copyTemplate(layered(await Promise.all(layers)), disk, provider) };
}

test('a project has the files of the base template, and those of its own in their place', async () => {
  const base = await project('feature-team', 'rehearsal');
  const own = await project('calculator', 'rehearsal');
  expect(own.kept).toEqual([]);
  const added = own.written.filter((path) => !base.written.includes(path));
  expect(added.toSorted()).toEqual(['package.json', 'src/calculator.mjs', 'test/calculator.test.mjs']);
  const differs = base.written.filter((path) => own.text(path) !== base.text(path));
  expect(differs).toEqual(['protocols/feature-team.yaml']);
  expect(base.written).toContain('agents/rehearsal.mjs');
});

test('its roles use the chosen provider, and .gitignore has the lines of the template', async () => {
  const { text } = await project('calculator', 'claude');
  expect(text('mailroom.yaml')).toContain('\n  provider: claude\n');
  expect(text('.gitignore')).toContain('.mailroom/');
});
