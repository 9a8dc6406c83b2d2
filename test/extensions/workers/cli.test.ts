import { expect, it } from 'vitest';
import { runCli } from '../../../src/cli/main.ts';
import { workers } from '../../../src/extensions/workers/index.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';

it('an order names the project, which is not the current folder', async () => {
  const fixture = new ProjectFixture();
  const { root } = fixture.disk;
  fixture.cwd = `${root}/src/deep`;
  await runCli(['workers', 'drain', 'builder-2'], fixture.start(), fixture.terminal, [workers]);
  expect(fixture.terminal.err.split('\n')[0]).toBe(`project: ${root}`);
});
