import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { Bench } from './bench.ts';
import { letter } from './team.ts';

/** What a command prints when its project, in a folder with a space, is named by `-C`. */
async function elsewhere(bench: Bench, ...words: string[]): Promise<string> {
  const services = bench.services();
  const project = "/home/ada/my shop's";
  const away = {
    ...services,
    cwd: '/home/ada',
    findProject: (_: string, named: boolean) => (named ? project : null),
  };
  bench.terminal.clear();
  await runCli(['-C', project, ...words], bench.start(away), bench.terminal);
  return bench.terminal.out + bench.terminal.err;
}

const prefix = "mailroom -C '/home/ada/my shop'\\''s' ";

describe('a printed command', () => {
  it('names the project where it is not found from the current folder, quoted', async () => {
    const bench = new Bench();
    bench.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    bench.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
    const id = bench.id('Which parser?').slice(-6);
    expect(await elsewhere(bench, 'inbox')).toContain(`\n    ${prefix}reply ${id} --message "…"\n`);
    expect(await elsewhere(bench, 'reply')).toContain(`\nhint: ${prefix}reply ${id} --message "…"\n`);
    expect(await elsewhere(bench, 'reply', '-m', 'x')).toMatch(/^sent /);
    expect(await elsewhere(bench, 'reply', '-m', 'x')).toContain(`\`${prefix}inbox\``);
  });

  it('is printed as it is where the project is found', async () => {
    const { err } = await new Bench().run('reply', '-m', 'x');
    expect(err).toContain('`mailroom inbox`');
  });
});
