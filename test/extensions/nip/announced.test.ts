import { expect, it } from 'vitest';
import { runCli } from '../../../src/cli/main.ts';
import { nip } from '../../../src/extensions/nip/index.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';

it.each([
  ['nip', 'define', 'w.json'],
  ['nip', 'send'],
])('%j %j names the project, which is not the current folder', async (...words) => {
  const fixture = new ProjectFixture();
  fixture.cwd = `${fixture.disk.root}/src/deep`;
  fixture.files.set(`${fixture.cwd}/w.json`, '{}');
  await runCli(words, fixture.start(), fixture.terminal, [nip]);
  expect(fixture.terminal.err.split('\n')[0]).toBe(`project: ${fixture.disk.root}`);
});
