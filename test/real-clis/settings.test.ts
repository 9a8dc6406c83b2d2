import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { clis, type Cli } from './support/clis.ts';
import { gather } from './support/team.ts';

const protocol = ({ name, model }: Cli) => `
name: lone
version: "1"
roles:
  worker: { provider: ${name}, model: ${model}, capabilities: [READ, EDIT, RUN_TESTS, RUN_COMMANDS], retries: 0 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

const own: Readonly<Record<Cli['name'], string>> = {
  claude: '.claude/settings.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  opencode: '.config/opencode/opencode.json',
};

it.each(clis)(
  'in the sandbox $name with every right changes no settings, and runs no plug-in of the repository',
  async (cli) => {
    const files = {
      'protocols/lone.yaml': protocol(cli),
      '.opencode/plugin/theirs.js': `require('fs').writeFileSync('plugged', '')\n`,
    };
    const { project, model, env } = await gather([cli], files, { sandbox: 'required' });
    const home = env['HOME'] ?? '';
    const theirs = join(home, own[cli.name]);
    if (!existsSync(theirs)) {
      mkdirSync(dirname(theirs), { recursive: true });
      writeFileSync(theirs, cli.name === 'codex' ? '' : '{}\n');
    }
    const before = readFileSync(theirs, 'utf8');
    const places = [theirs, ...['.claude', '.gemini', '.codex'].map((name) => join(project.root, name, 'x'))];
    const tries = places.map((path) => `(mkdir -p '${dirname(path)}'; echo planted >> '${path}'); `).join('');
    const tool = cli.shell(`${tries} touch '${project.root}/tried'`);
    model.plays(({ results }) =>
      results.length === 0
        ? { say: 'I try.', tools: [tool] }
        : { say: '---\ntype: done\nto: user\n---\nDone.' },
    );
    project.drop('agents/worker/inbox/task.md', 'Try it.\n');
    expect(await project.run(['up', '--until-idle', '--plain'], env)).toMatchObject({ code: 0, stderr: '' });
    expect({
      settings: readFileSync(theirs, 'utf8'),
      planted: places.slice(1).filter((path) => existsSync(path)),
      tried: existsSync(join(project.root, 'tried')),
      plugged: existsSync(join(project.root, 'plugged')),
    }).toEqual({ settings: before, planted: [], tried: true, plugged: false });
  },
);
