import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Capability } from '../../src/kernel/capabilities.ts';
import { TurnFixture } from '../providers/turns.ts';
import { attacks, lay, type Bait } from './support/attacks.ts';
import { claude, clis, codex, gemini, opencode, type Cli, type Tool } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

/** Where an attack lies, and where the agent works. */
interface Attack {
  /** Files below the folder that holds the project, the home and all else. */
  readonly files: (bait: Bait) => Readonly<Record<string, unknown>>;
  /** The workspace from that folder; default: the project. */
  readonly workspace?: string;
  /** Is called with that folder when the files lie there. */
  readonly prepare?: (root: string) => void;
  /** Default: `READ` alone. */
  readonly capabilities?: readonly Capability[];
  /** Variables that the CLI does not get, although it needs them elsewhere. */
  readonly without?: readonly string[];
  /** What the model tries, to make this file or one whose name has `-file` after it; default: the usual two. */
  readonly tools?: (tried: string) => readonly Tool[];
}

/** The CLI among files that attack it; the model tries what its role may not do. No sandbox: its switches hold alone. */
async function attacked(cli: Cli, attack: Attack) {
  const { files, workspace = 'project', prepare, capabilities = ['READ'], without = [] } = attack;
  const place = new TurnFixture(onTestFinished);
  const [model, theirs] = [await Model.start(), await Model.start()];
  onTestFinished(async () => {
    await model.stop();
    await theirs.stop();
  });
  const mark = join(place.root, 'mark');
  const setting = new Setting(cli, place, model);
  lay(place.root, files({ url: theirs.url, mark, root: place.root }));
  prepare?.(place.root);
  mkdirSync(join(place.root, workspace), { recursive: true });
  const { env, ...turn } = setting.turn(capabilities);
  const tried = join(place.root, 'tried');
  const usual = [cli.shell(`touch '${tried}'`), cli.write(`${tried}-file`, 'x')];
  const tools = attack.tools?.(tried) ?? usual;
  const play = ({ results }: { readonly results: readonly string[] }) => {
    const tool = tools[results.length];
    return tool === undefined ? { say: 'Done.' } : { say: 'I try.', tools: [tool] };
  };
  model.plays(play);
  theirs.plays(play);
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => !without.includes(name)));
  const { outcome, exit } = await setting.run({
    ...turn,
    env: given,
    workspace: join(place.root, workspace),
  });
  return {
    outcome: { ...outcome, stderr: exit.stderr },
    stolen: theirs.asked.length,
    ran: existsSync(mark),
    offered: model.asked[0]?.tools,
    tried: [tried, `${tried}-file`].filter((path) => existsSync(path)),
  };
}

const nothing = { stolen: 0, ran: false, tried: [] };
const done = { ...nothing, outcome: { is: 'done', text: 'Done.' } };
const refused = {
  ...nothing,
  outcome: {
    is: 'never',
    reason: { code: 'E_PROVIDER', text: expect.stringContaining('plug-ins') as string },
  },
};

const git = (root: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', join(root, 'project'), ...words]);

/** The attacks of a CLI in a folder. */
const within =
  (folder: string, cli: Cli) =>
  (bait: Bait): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(attacks[cli.name](bait)).map(([path, text]) => [`${folder}/${path}`, text]),
    );

describe.each(clis)('$name in a repository that configures it', (cli) => {
  // No switch of opencode keeps it from plug-ins of a repository: without a sandbox it is not started there.
  const expected = cli.name === 'opencode' ? refused : done;

  it('talks to the person’s server, runs nothing of the repository, and has no more permissions', async () => {
    expect(await attacked(cli, { files: within('project', cli) })).toMatchObject(expected);
  });

  it('does so in a folder of the repository', async () => {
    const prepare = (root: string) => void git(root, 'init', '-q');
    const workspace = 'project/packages/one';
    expect(await attacked(cli, { files: within('project', cli), prepare, workspace })).toMatchObject(
      expected,
    );
  });
});

it('claude with READ is refused every tool but those to read and to write mail, by any name and trick', async () => {
  const commands = ['Bash', 'bash', 'Shell', 'PowerShell', 'Monitor'];
  const tools = (tried: string): Tool[] => [
    ...commands.map((name) => ({
      name,
      arguments: { command: `touch '${tried}'`, description: 'x', dangerouslyDisableSandbox: true },
    })),
    claude.write(`${tried}-file`, 'x'),
    { name: 'Edit', arguments: { file_path: `${tried}-file`, old_string: '', new_string: 'x' } },
    { name: 'NotebookEdit', arguments: { notebook_path: `${tried}-file`, new_source: 'x' } },
    // Were it there, its own requests would try all of these again.
    ...['Task', 'Agent'].map((name) => ({
      name,
      arguments: { description: 'x', prompt: 'Do it.', subagent_type: 'helper' },
    })),
  ];
  const files = (bait: Bait) => ({
    ...within('project', claude)(bait),
    'project/.claude/agents/helper.md':
      '---\nname: helper\ndescription: x\ntools: Bash, Write\n---\nDo it.\n',
    // The person lets claude run commands where no role says what it may.
    'home/.claude/settings.json': { permissions: { allow: ['Bash', 'Bash(**)', 'Task', 'Agent'] } },
  });
  const seen = await attacked(claude, { files, tools });
  expect(seen).toMatchObject(done);
  expect(seen.offered?.toSorted().join()).toBe('Bash,Edit,Glob,Grep,Read,Write');
  expect(seen.outcome).toHaveProperty('denials.length', tools('').length);
});

describe('codex in a repository that the person trusts', () => {
  const files = (bait: Bait) => ({
    ...within('project', codex)(bait),
    'home/.codex/config.toml': ['project', 'link', 'tree']
      .map((name) => `[projects."${bait.root}/${name}"]\ntrust_level = "trusted"\n`)
      .join(''),
  });
  const begin = (root: string) => void git(root, 'init', '-q');

  it.each<[string, Omit<Attack, 'files'>]>([
    ['at its top', { prepare: begin }],
    ['in a folder of it', { prepare: begin, workspace: 'project/packages/one' }],
    ['where there is no git', {}],
    [
      'by a link',
      {
        workspace: 'link',
        prepare: (root) => {
          begin(root);
          symlinkSync(join(root, 'project'), join(root, 'link'));
        },
      },
    ],
    [
      'in a worktree elsewhere',
      {
        workspace: 'tree/packages',
        prepare: (root) => {
          begin(root);
          git(root, 'add', '-A');
          git(root, 'commit', '-qm', 'all');
          git(root, 'worktree', 'add', '-q', join(root, 'tree'));
        },
      },
    ],
  ])('obeys none of its settings %s', async (_, where) => {
    expect(await attacked(codex, { files, ...where })).toMatchObject(done);
  });
});

describe('codex of a person with wide permissions', () => {
  const settings: Readonly<Record<string, string>> = {
    'a sandbox mode': 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n',
    'a profile of the program': 'default_permissions = ":danger-full-access"\n',
    'a profile of permissions': `default_permissions = "wide"\n[permissions.wide]\nextends = ":workspace"\n[permissions.wide.filesystem]\n":root" = "write"\n`,
    'roots that may be written': '[sandbox_workspace_write]\nwritable_roots = ["/"]\nnetwork_access = true\n',
  };
  const cases = Object.keys(settings).flatMap((name) => [
    [name, ['READ']] as const,
    [name, ['READ', 'EDIT']] as const,
  ]);

  it.each(cases)('lets a turn do no more by %s with %j', async (name, capabilities) => {
    const files = () => ({ 'home/.codex/config.toml': settings[name] });
    expect(await attacked(codex, { files, capabilities })).toMatchObject(done);
  });
});

it('gemini sends nothing to an address that only a file of the repository names', async () => {
  const attack = { files: within('project', gemini), without: ['GOOGLE_GEMINI_BASE_URL'] };
  // There is no other server here, so the turn fails.
  expect(await attacked(gemini, attack)).toMatchObject({ ...nothing, outcome: { is: 'later' } });
});

it.each([
  [
    'plug-ins',
    { 'project/.opencode/plugin/theirs.js': "require('fs').writeFileSync('ran', '')\n" },
    'project',
  ],
  ['a folder above it, without git', { 'opencode.json': { plugin: ['./theirs.js'] } }, 'project/packages'],
])('opencode is not started without a sandbox among %s', async (_, files, workspace) => {
  expect(await attacked(opencode, { files: () => files, workspace })).toMatchObject(refused);
});
