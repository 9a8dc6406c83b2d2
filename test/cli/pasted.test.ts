import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

/** What a command prints when its project, in a folder with a space, is named by `-C`. */
async function elsewhere(fixture: ProjectFixture, ...words: string[]): Promise<string> {
  const call = fixture.call();
  const project = "/home/ada/my shop's";
  const away = Object.assign(call, {
    cwd: '/home/ada',
    findProject: (_: string, named: boolean) => (named ? project : null),
  });
  fixture.terminal.clear();
  await runCli(['-C', project, ...words], fixture.start(away), fixture.terminal);
  return fixture.terminal.out + fixture.terminal.err;
}

const prefix = "mailroom -C '/home/ada/my shop'\\''s' ";

describe('a printed command', () => {
  it('names the project where it is not found from the current folder, quoted', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
    const id = fixture.id('Which parser?').slice(-6);
    expect(await elsewhere(fixture, 'inbox')).toContain(
      `\n    ${prefix}reply ${id} --as lead --message "…"\n`,
    );
    fixture.environment = { MAILROOM_USER: 'lead' };
    expect(await elsewhere(fixture, 'reply')).toContain(`\nhint: ${prefix}reply ${id} --message "…"\n`);
    expect(await elsewhere(fixture, 'reply', '-m', 'x')).toMatch(/^sent /);
    expect(await elsewhere(fixture, 'reply', '-m', 'x')).toContain(`\`${prefix}inbox\``);
  });

  it('is printed as it is where the project is found', async () => {
    const { err } = await new ProjectFixture().run('reply', '-m', 'x');
    expect(err).toContain('`mailroom inbox`');
  });
});
