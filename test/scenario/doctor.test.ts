import process from 'node:process';
import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';
import { finished } from '../support/project.ts';

let project: CliProject;
afterEach(() => project.remove());

interface Document {
  readonly ok: boolean;
  readonly findings: readonly { readonly topic: string; readonly state: string; readonly text: string }[];
}

async function doctor(
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<(topic: string) => string[]> {
  const none = {
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_AUTH_TOKEN: '',
    CLAUDE_CODE_OAUTH_TOKEN: '',
    CODEX_HOME: '',
  };
  const env = { ...none, CODEX_API_KEY: '', CLAUDE_CONFIG_DIR: '', ...more };
  const { code, stdout } = await finished(project.start(['doctor', '--json', ...args], env));
  const { ok, findings } = JSON.parse(stdout) as Document;
  expect({ ok, code }).toEqual({ ok: code === 0, code: findings.some(isProblem) ? 1 : 0 });
  return (topic) =>
    findings.filter((each) => each.topic === topic).map(({ state, text }) => `${state} ${text}`);
}

const isProblem = ({ state }: Document['findings'][number]) => state === 'problem';

describe('doctor', () => {
  it('says what each CLI that is here logs in with, and asks none', async () => {
    project = new CliProject(
      { '.codex/auth.json': '{}' },
      {
        claude: `appendFileSync(env.HOME + '/asked', 'x')`,
        codex: `appendFileSync(env.HOME + '/asked', 'x')`,
      },
    );
    const found = await doctor();
    expect(found('claude')).toContainEqual(
      'warning no login was found: run `claude` once and log in, or set ANTHROPIC_API_KEY',
    );
    expect(found('codex')).toContainEqual(`ok login: ${project.root}/.codex/auth.json`);
    expect(project.list('.')).not.toContain('asked');
    // The version that it tells is newer than any that is known.
    expect(found('claude')).toContainEqual(
      expect.stringMatching(/^info known quirks of this version, handled: `stream-json` needs `--verbose`; /),
    );
    expect(found('codex')).toContainEqual(
      expect.stringMatching(/^info retries .*: docs\/providers\/codex\.md/),
    );
    expect(found('codex')[0]).toMatch(/^ok 9\.9\.9 \(codex\); driven headless; proved with \d+\.\d+\.\d+$/);
  });

  it('lets each answer once when it is told to', async () => {
    project = new CliProject(
      { 'mailroom.yaml': 'trail: off\n', 'protocols/team.yaml': widened },
      {
        claude: `claude('ready', 0.002, 120);`,
        codex: `event({ type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized: bad key' } }); process.exit(1);`,
      },
    );
    const found = await doctor(['--probe']);
    expect(found('claude').at(-1)).toMatch(
      /^ok answers, in \d+\.\d s, 120 tokens \(\$0\.0020\); its system prompt and tools are about 98 of them$/,
    );
    expect(found('codex').at(-1)).toMatch(/^problem does not answer: codex is not allowed to use its model/);
    expect(found('protocol')).toEqual(['warning 2 roles, 2 types, 1 warning; see `mailroom check`']);
  });

  it('keeps what a call reads besides the prompt, for `plan` and `check --price`', async () => {
    const files = { 'mailroom.yaml': shortened, 'protocols/team.yaml': priced, 'workflows/ship.yaml': ship };
    project = new CliProject(files, {
      claude: `event({ subtype: 'init', model: 'claude-sonnet-4-5' }); claude('ready', 0.06, 20_000);`,
    });
    const prices = async () => {
      const { stdout } = await project.run(['check', '--no-explore', '--price', '--json']);
      return (JSON.parse(stdout) as { prices: Readonly<Record<string, unknown>>[] }).prices;
    };
    const day = /^measured with 9\.9\.9, \d{4}-\d\d-\d\d$/;
    const before = await prices();
    expect(before.map(({ role, tokens }) => [role, tokens])).toEqual([
      ['writer', 13_500],
      ['brief', 6_400],
      ['other', null],
    ]);
    await doctor(['--probe']);
    const after = await prices();
    expect(after[0]).toEqual({
      role: 'writer',
      provider: 'claude',
      model: 'claude-sonnet-4-5',
      tokens: 19_978,
      from: expect.stringMatching(day) as unknown,
      usd: expect.closeTo(19_978 * 3.75e-6, 6) as unknown,
    });
    // The probe has no short system prompt.
    expect(after.slice(1)).toEqual(before.slice(1));
    expect((await project.run(['check', '--no-explore', '--price'])).stdout).toMatch(
      /^writer  claude    claude-sonnet-4-5  about 20,000  \$0\.0749  measured with 9\.9\.9, /m,
    );
    expect((await project.run(['plan', 'workflows/ship.yaml'])).stdout).toMatch(
      /\(each call of claude reads about 20,000 tokens besides its prompt: its system prompt and tools \(measured with 9\.9\.9, [-\d]+\)\)/,
    );
    // It may be deleted, and what cannot be read counts as absent.
    project.write('.cache/mailroom/overheads.json', '{"agents": {"claude": 1}}');
    expect(await prices()).toEqual(before);
  });

  it('says what the project wants and this machine does not have', async () => {
    project = new CliProject({ 'mailroom.yaml': settings, 'protocols/team.yaml': team }, { claude: '' });
    // Nothing but that program is here: no git, no lock, no sandbox.
    const found = await doctor([], { PATH: `${project.root}/bin` });
    expect(found('claude')).not.toContainEqual(expect.stringMatching(/^problem/));
    expect(found('local')).toEqual(['problem `./local.sh` is not found, and it plays builder, tester']);
    expect(found('opencode')).toContain('warning `opencode` is not found, and it is the fallback of builder');
    const free =
      'warning as root and without bubblewrap an agent can read and write every file of this machine: run Mailroom as another user, or install bubblewrap';
    expect(found('containment').includes(free)).toBe(process.getuid?.() === 0);
    expect(found('sandbox')).toContain(
      'problem `sandbox: required` in mailroom.yaml, and there is none: nothing starts here',
    );
  });

  it('says what makes the sandbox work, on Linux', async () => {
    project = new CliProject({ 'mailroom.yaml': 'trail: off\n' }, {});
    const alone = { PATH: `${project.root}/bin` };
    const free = 'an agent can read and write what you can, as far as its own switches let it';
    const onLinux = (advice: string) => (process.platform === 'linux' ? advice : '');
    expect((await doctor([], alone))('sandbox')).toEqual([
      `warning none (command not found: bwrap): ${free}${onLinux('; install bubblewrap, for example with `sudo apt install bubblewrap`')}`,
    ]);
    project.write('bin/bwrap', '#!/bin/sh\necho "No permissions to create new namespace" >&2\nexit 1\n');
    chmodSync(join(project.root, 'bin/bwrap'), 0o755);
    expect((await doctor([], alone))('sandbox')).toEqual([
      `warning none (No permissions to create new namespace): ${free}${onLinux('; let unprivileged users create namespaces')}`,
    ]);
  });

  it('says what is missing for files in LFS', async () => {
    const files = {
      '.gitattributes': '*.big filter=lfs\n',
      'one.big': 'one\n',
      '.gitconfig': '[filter "lfs"]\n\tprocess = git-lfs filter-process\n',
      'mailroom.yaml': 'trail: off\n',
    };
    project = new CliProject(files, { claude: '' });
    for (const words of [
      ['init', '-q'],
      ['add', '-N', '.gitattributes', 'one.big'],
    ])
      execFileSync('git', words, { cwd: project.root });
    for (const name of ['git', 'sh'])
      symlinkSync(
        execFileSync('which', [name], { encoding: 'utf8' }).trim(),
        join(project.root, 'bin', name),
      );
    const found = await doctor([], { PATH: join(project.root, 'bin') });
    expect(found('git')).toContain(
      'problem files are in LFS, and git-lfs is not installed: no checkout can be made',
    );
  });

  it('counts one role as one', async () => {
    project = new CliProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/w.yaml': 'name: w\n' }, {});
    expect((await doctor())('protocol')).toEqual(['ok 1 role, 0 types']);
  });
});

const settings = `
sandbox: required
providers:
  local: { command: [./local.sh] }
`;

const team = `
name: team
version: "1"
roles:
  writer: { provider: claude, capabilities: [READ] }
  builder: { provider: local, fallback: [opencode], capabilities: [READ] }
  tester: { provider: local, capabilities: [READ] }
messages:
  task: { from: user, to: [writer, builder, tester] }
  done: { from: [writer, builder, tester], to: user, closes: true }
`;

const widened = `
name: one
version: "1"
roles:
  editor: { provider: codex, capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: editor }
  done: { from: editor, to: user, closes: true }
`;

const shortened = `
trail: off
providers:
  brief: { kind: claude, system_prompt: short }
  local: { command: [./local.sh] }
`;

const priced = `
name: three
version: "1"
roles:
  writer: { provider: claude, capabilities: [READ] }
  brief: { provider: brief, capabilities: [READ] }
  other: { provider: local, capabilities: [READ] }
messages:
  task: { from: user, to: [writer, brief, other] }
  done: { from: [writer, brief, other], to: user, closes: true }
`;

const ship = `
name: ship
version: "1"
timeout: 1h
steps:
  write: { worker: CLAUDE_CODE, capabilities: [READ], instructions: Write. }
`;
