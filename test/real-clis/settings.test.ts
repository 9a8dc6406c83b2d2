import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  pi: '.pi/agent/settings.json',
};

/** A person with settings, whose agent has every right, in the sandbox. */
async function settled(cli: Cli, files: Readonly<Record<string, string>> = {}) {
  const team = await gather(
    [cli],
    { 'protocols/lone.yaml': protocol(cli), ...files },
    { sandbox: 'required' },
  );
  const home = team.env['HOME'] ?? '';
  const settings = join(home, own[cli.name]);
  if (!existsSync(settings)) {
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, cli.name === 'codex' ? '' : '{}\n');
  }
  return { ...team, home, settings };
}

/** Lets the agent run a command, and ends the thread; what `up` said of it. */
async function runs(cli: Cli, { project, model, env }: Awaited<ReturnType<typeof gather>>, command: string) {
  model.plays(({ results }) =>
    results.length === 0
      ? { say: 'I try.', tools: [cli.shell(`${command} touch '${project.root}/tried'`)] }
      : { say: '---\ntype: done\nto: user\n---\nDone.' },
  );
  project.drop('agents/worker/inbox/task.md', 'Try it.\n');
  const ran = await project.run(['up', '--until-idle', '--plain'], env);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(join(project.root, 'tried'))).toBe(true);
}

const plants = (path: string) => `(mkdir -p '${dirname(path)}'; echo planted >> '${path}'); `;

/** The settings of all CLIs that a person has in their home, and what a repository has. */
const homes = [...Object.values(own), '.claude/.claude.json'];
const repository = ['.claude/x', '.gemini/x', '.codex/x', '.opencode/x', '.pi/x', '.mcp.json'];

it.each(clis)(
  'in the sandbox $name with every right changes no settings of any CLI, and runs no plug-in of the repository',
  async (cli) => {
    const plugin = `require('fs').writeFileSync('plugged', '')\n`;
    const team = await settled(cli, { '.opencode/plugin/theirs.js': plugin });
    const before = readFileSync(team.settings, 'utf8');
    const { root } = team.project;
    const places = [
      ...homes.map((path) => join(team.home, path)),
      ...repository.map((path) => join(root, path)),
    ];
    await runs(cli, team, places.map(plants).join(''));
    expect(readFileSync(team.settings, 'utf8')).toBe(before);
    const planted = places.filter(
      (path) => existsSync(path) && readFileSync(path, 'utf8').includes('planted'),
    );
    expect(planted).toEqual([]);
    expect(existsSync(join(root, 'plugged'))).toBe(false);
  },
);

// Pi locks files beside its settings: where they are links, it does not start in the sandbox.
it.each(clis.filter(({ name }) => name !== 'pi'))(
  'in the sandbox $name works where settings of the person are links, and replaces none',
  async (cli) => {
    const team = await settled(cli);
    const { CLAUDE_CONFIG_DIR: _, ...env } = team.env;
    // They have used it before.
    await runs(cli, { ...team, env }, '');
    const target = join(team.home, 'dotfiles');
    renameSync(team.settings, target);
    symlinkSync(target, team.settings);
    const before = readFileSync(target, 'utf8');
    const replaces = `(rm -f '${team.settings}'; ln -sfn /x '${team.settings}'); `;
    const servers = join(team.home, '.claude.json');
    await runs(cli, { ...team, env }, replaces + plants(team.settings) + plants(target) + plants(servers));
    expect([readlinkSync(team.settings), readFileSync(target, 'utf8')]).toEqual([target, before]);
    expect(existsSync(servers) && readFileSync(servers, 'utf8').includes('planted')).toBe(false);
  },
);
