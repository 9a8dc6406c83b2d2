import { describe, expect, it } from 'vitest';
import { agents, claudeWith, everybody, invocation, program } from './samples.ts';
import type { Capability } from '../../src/kernel/capabilities.ts';
import type { Invocation } from '../../src/providers/provider.ts';

const folder = '/project/.mailroom/turns/t7/1';
const session = { id: 'the-session', usd: 1, tokens: 10 };

function agent(name: string) {
  const found = agents.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found.provider;
}

/** The arguments after the program, for these rights. */
function argumentsOf(name: string, capabilities: readonly Capability[], changes = {}): readonly string[] {
  return agent(name)
    .start(invocation({ capabilities, ...changes }))
    .argv.slice(1);
}

describe.each(everybody)('$name', (provider) => {
  it('gives the prompt on standard input and nowhere else', () => {
    const { argv, env, files, stdin } = provider.start(invocation());
    // Agy takes it as an event.
    const event = { event: 'user', message: { role: 'user', content: invocation().prompt } };
    expect(stdin).toBe(provider.name === 'agy' ? `${JSON.stringify(event)}\n` : invocation().prompt);
    expect(JSON.stringify([argv, env, files])).not.toContain('touch');
  });

  it('tells the turn in variables, which the role cannot change', () => {
    const { env } = provider.start(invocation({ env: { MAILROOM_ROLE: 'boss', EDITOR: 'vi' } }));
    expect(env).toMatchObject({
      MAILROOM_PROJECT: '/project',
      MAILROOM_WORKSPACE: '/project',
      MAILROOM_ROLE: 'engineer',
      MAILROOM_THREAD: '019a0000-0000-7000-8000-00000000000a',
      MAILROOM_TURN: 't7',
      MAILROOM_ATTEMPT: '1',
      MAILROOM_ROUND: '0',
      MAILROOM_OUTBOX: `${folder}/outbox`,
      MAILROOM_MESSAGES: `${folder}/messages/a.md\n${folder}/messages/b.md`,
      EDITOR: 'vi',
    });
  });

  it('makes the same command line of the same turn, and changes nothing', () => {
    const turn = Object.freeze(invocation({ session, model: 'm' }));
    expect(JSON.stringify(provider.start(turn))).toBe(JSON.stringify(provider.start(turn)));
  });
});

describe('the command line of claude', () => {
  const rules = `Edit(/${folder}/outbox/**),Read(/${folder}/**)`;
  const always = ['-p', '--output-format', 'stream-json', '--verbose', '--setting-sources', 'user'];
  const settings =
    'Edit(**/.claude/**),Edit(**/.codex/**),Edit(**/.gemini/**),Edit(**/.opencode/**),Edit(**/.pi/**),Edit(**/.mcp.json),Edit(**/opencode.json),Edit(**/opencode.jsonc),Edit(**/.env*)';
  const tools = 'Read,Grep,Glob,Write,Edit,Bash';
  const rights = (allowed: string, mayRun = allowed.includes('Bash')) =>
    [
      ['--permission-mode', 'default', '--tools', tools],
      mayRun ? [] : ['--settings', '{"permissions":{"ask":["Bash"]}}'],
      ['--allowedTools', allowed],
      allowed.includes('Edit(**)') ? ['--disallowedTools', settings] : [],
      ['--add-dir', `${folder}/outbox`, '--strict-mcp-config'],
    ].flat();

  it.each<[Capability[], string[]]>([
    [['READ'], rights(rules)],
    [['READ', 'EDIT'], rights(`${rules},Edit(**)`)],
    [['READ', 'RUN_COMMANDS'], rights(`${rules},Bash`)],
    [['EDIT', 'RUN_COMMANDS'], rights(`${rules},Edit(**),Bash`)],
  ])('for %j', (capabilities, expected) => {
    expect(argumentsOf('claude', capabilities)).toEqual([...always, ...expected]);
  });

  it('offers no shell to a role without commands where arguments replace the rule against it', () => {
    const given = (capabilities: Capability[], ...words: string[]) =>
      claudeWith(...words)
        .start(invocation({ capabilities }))
        .argv.join(' ');
    for (const words of [['--settings', '{}'], ['--settings={}']]) {
      expect(given(['READ'], ...words)).toContain('--tools Read,Grep,Glob,Write,Edit --allowed');
      expect(given(['RUN_TESTS'], ...words)).toContain('Edit,Bash --allowed');
    }
    expect(given(['READ'], '--add-dir', '--settings-of')).toContain('Edit,Bash --settings {');
  });

  it('allows the usual tests, and only them, to RUN_TESTS', () => {
    const allowed = argumentsOf('claude', ['RUN_TESTS']).at(-4)?.split(',') ?? [];
    expect(allowed).toContain('Bash(npm test:*)');
    expect(allowed).toContain('Bash(cargo test:*)');
    expect(allowed).not.toContain('Bash');
  });

  it('names model, conversation and money', () => {
    const line = argumentsOf('claude', ['READ'], { session, model: 'opus', budget: { usd: 0.5, tokens: 9 } });
    expect(line.join(' ')).toContain(
      '--setting-sources user --model opus --resume the-session --max-budget-usd 0.5 --perm',
    );
    expect(argumentsOf('claude', ['READ'], { budget: { usd: null, tokens: 9 } }).join(' ')).not.toContain(
      'budget',
    );
  });

  it('is quiet, and takes over its own variables', () => {
    const { env, inherit } = agent('claude').start(invocation());
    expect(env).toMatchObject({ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' });
    expect(inherit).toContain('ANTHROPIC_*');
    expect(inherit).not.toContain('CLAUDE_*');
  });
});

describe('the command line of codex', () => {
  const quiet =
    '-c analytics.enabled=false -c check_for_update_on_startup=false --disable plugins --disable apps -c projects={"/project"={trust_level="untrusted"},"/"={trust_level="untrusted"}}';
  const reading = `exec --json --skip-git-repo-check -c default_permissions="mailroom_turn" -c permissions.mailroom_turn={extends=":read-only",filesystem={"${folder}/outbox"="write"}}`;
  const workspace = (network: boolean) =>
    `exec --json --skip-git-repo-check -s workspace-write -c sandbox_workspace_write.writable_roots=["${folder}/outbox"] -c sandbox_workspace_write.exclude_slash_tmp=true -c sandbox_workspace_write.network_access=${network}`;

  it.each<[Capability[], string]>([
    [['READ'], reading],
    [[], reading],
    [['READ', 'EDIT'], workspace(false)],
    [['READ', 'RUN_TESTS'], workspace(false)],
    [['READ', 'EDIT', 'RUN_COMMANDS'], workspace(true)],
  ])('for %j', (capabilities, expected) => {
    expect(argumentsOf('codex', capabilities).join(' ')).toBe(`${expected} ${quiet} -`);
  });

  it('names the sandbox before the conversation that it resumes', () => {
    const line = argumentsOf('codex', ['READ'], { session, model: 'gpt-5.5' }).join(' ');
    expect(line).toBe(`${reading} -m gpt-5.5 ${quiet} resume the-session -`);
  });

  it('lets a step with READ write what it owes', () => {
    const line = argumentsOf('codex', ['READ'], { owed: ['/project/plan "b".md'] });
    expect(line.join(' ')).toContain(
      `filesystem={"${folder}/outbox"="write","/project/plan \\"b\\".md"="write"}}`,
    );
  });

  it('hands on the tools of the turn, waits for them and lets them be used', () => {
    const line = argumentsOf('codex', ['READ'], {
      tools: { command: ['/bin/mailroom', 'mcp'], readable: [] },
    });
    const settings = [
      'command="/bin/mailroom"',
      'args=["mcp"]',
      'required=true',
      'default_tools_approval_mode="approve"',
    ];
    expect(line).toEqual(expect.arrayContaining(settings.map((each) => `mcp_servers.mailroom.${each}`)));
  });
});

describe('the command line of gemini', () => {
  it.each<[Capability[], string]>([
    [['READ'], 'default'],
    [['READ', 'RUN_TESTS'], 'default'],
    [['READ', 'EDIT'], 'auto_edit'],
    [['READ', 'EDIT', 'RUN_TESTS'], 'auto_edit'],
    [['RUN_COMMANDS'], 'yolo'],
  ])('for %j', (capabilities, mode) => {
    expect(argumentsOf('gemini', capabilities).join(' ')).toBe(
      `-o stream-json --approval-mode ${mode} --skip-trust --allowed-mcp-server-names mailroom -m pro`,
    );
  });

  it('names model and conversation', () => {
    const line = argumentsOf('gemini', ['READ'], { session, model: 'gemini-2.5-pro' });
    expect(line.slice(-4)).toEqual(['-m', 'gemini-2.5-pro', '-r', 'the-session']);
  });

  it('names its folders where a comma is part of a name', () => {
    const paths = { ...invocation().paths, folder: '/a, b', outbox: '/a, b/outbox' };
    const settings = agent('gemini').start(invocation({ paths })).home?.settings.text(null, '') ?? '';
    expect(JSON.parse(settings)).toMatchObject({
      adminPolicyPaths: ['/a, b/gemini-policy.toml'],
      context: { includeDirectories: ['/a, b/outbox'] },
    });
  });

  it('has a policy that lets everybody write into the staging folder, and testers test', () => {
    const policy = (capabilities: readonly Capability[]) =>
      agent('gemini').start(invocation({ capabilities })).files['gemini-policy.toml'] ?? '';
    expect(policy(['READ'])).toBe(
      String.raw`[[rule]]
toolName = ["write_file", "replace"]
argsPattern = "\\x00\"file_path\":\"/project/\\.mailroom/turns/t7/1/outbox/[^\"/\\\\]+\"\\x00"
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 1

[[rule]]
toolName = ["write_file", "replace"]
decision = "deny"
priority = 1
`,
    );
    expect(policy(['RUN_TESTS'])).toContain('commandPrefix = ["npm test",');
    expect(policy(['RUN_COMMANDS', 'EDIT'])).not.toContain('commandPrefix');
  });

  it('denies what configures agents, in the workspace and below it, by any name of it', () => {
    const policyFor = (changes: Partial<Invocation>) =>
      agent('gemini').start(invocation({ capabilities: ['EDIT'], ...changes })).files['gemini-policy.toml'] ??
      '';
    const patterns = [...policyFor({}).matchAll(/^argsPattern = (.*)\ndecision = "deny"$/gm)].map(
      ([, text]) => JSON.parse(text ?? '') as string,
    );
    // It drops what it takes for a pattern that could run forever.
    expect(patterns.filter((pattern) => /\([^)]*[*+?{].*\)[*+?{]/.test(pattern))).toEqual([]);
    const denied = (path: string) => {
      const call = `\0${JSON.stringify({ file_path: path }).slice(1, -1)}\0`;
      return patterns.some((pattern) => new RegExp(pattern).test(call));
    };
    const names = ['.codex/config.toml', 'src/../.gemini', './.mcp.json', 'a/b/.env.local', '.claude//x'];
    const paths = [
      ...names,
      ...names.map((name) => `/project/${name}`),
      '/x/../project/.codex',
      '//project/.codex',
    ];
    expect(paths.filter((path) => !denied(path))).toEqual([]);
    const others = ['src/a.ts', '/project/src/a.ts', '/other/.claude/x', 'a.env', 'claude/x', '.envs/x'];
    expect(others.filter(denied)).toEqual([]);
    expect(policyFor({ mayConfigure: true })).not.toContain('opencode');
  });

  it('has no telemetry, and a home of its own for its settings', () => {
    const { env, home } = agent('gemini').start(invocation());
    expect(env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_TELEMETRY_ENABLED: 'false' });
    expect(home).toMatchObject({
      variable: 'GEMINI_CLI_HOME',
      folder: '.gemini',
      lasting: ['tmp', 'history'],
    });
  });
});

describe('the command line of opencode', () => {
  function permissions(capabilities: readonly Capability[]): Record<string, unknown> {
    const { env } = agent('opencode').start(invocation({ capabilities }));
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as {
      permission: Record<string, unknown>;
      agent: { mailroom: { permission: Record<string, unknown> } };
    };
    expect(config.agent.mailroom.permission).toEqual(config.permission);
    expect(Object.entries(config.permission)[0]).toEqual(['*', 'deny']);
    return config.permission;
  }
  const staging = { '*': 'deny', '*/turns/t7/1/outbox/*': 'allow' };

  it('names model and conversation, and a title', () => {
    const line = argumentsOf('opencode', ['READ'], { session, model: 'anthropic/claude' });
    const options = ['run', '--pure', '--format', 'json', '--agent', 'mailroom', '--title', 'engineer t7'];
    expect(line).toEqual([...options, '-m', 'anthropic/claude', '-s', 'the-session']);
  });

  it('denies what the role may not do, and asks no one', () => {
    expect(permissions(['READ'])).toMatchObject({
      edit: staging,
      bash: { '*': 'deny', '*>*': 'deny' },
      task: 'deny',
      external_directory: { '*': 'deny', [`${folder}/*`]: 'allow' },
    });
    const edit = { '*': 'allow', '.claude/*': 'deny', '*/project/.env*': 'deny' };
    expect(permissions(['READ', 'EDIT'])).toMatchObject({ edit, bash: { '*': 'deny' } });
    expect(permissions(['READ', 'RUN_COMMANDS'])).toMatchObject({ edit, bash: 'allow' });
    expect(JSON.stringify(permissions(['READ']))).not.toContain('"ask"');
  });

  it('lets testers test, and redirect the output into files only if they may edit', () => {
    const rules = (capabilities: readonly Capability[]) =>
      Object.entries(permissions(capabilities)['bash'] ?? {});
    expect(rules(['RUN_TESTS'])).toContainEqual(['npm test *', 'allow']);
    expect(rules(['RUN_TESTS']).at(0)).toEqual(['*', 'deny']);
    expect(rules(['RUN_TESTS']).at(-1)).toEqual(['*>*', 'deny']);
    expect(rules(['RUN_TESTS', 'EDIT'])).not.toContainEqual(['*>*', 'deny']);
  });

  it('installs nothing by itself, but lets a role with RUN_COMMANDS install', () => {
    const offline = (capabilities: readonly Capability[]) =>
      agent('opencode').start(invocation({ capabilities })).env['npm_config_offline'];
    expect(offline(['READ'])).toBe('true');
    expect(offline(['RUN_COMMANDS'])).toBe(undefined);
  });
});

describe('the permissions that a provider cannot restrict', () => {
  it('are none for claude, gemini and opencode', () => {
    for (const name of ['claude', 'gemini', 'opencode']) {
      for (const right of ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'] as const) {
        expect(agent(name).restrict([right])).toEqual({ exact: true, broaderThanRequested: [] });
      }
      expect(agent(name).restrict([]).broaderThanRequested).toEqual([
        `READ: ${name} always reads its workspace`,
      ]);
    }
  });

  it.each<[Capability[], string[]]>([
    [['READ'], []],
    [['READ', 'EDIT'], ['RUN_COMMANDS']],
    [
      ['READ', 'RUN_TESTS'],
      ['RUN_COMMANDS', 'EDIT'],
    ],
    [['READ', 'EDIT', 'RUN_TESTS'], ['RUN_COMMANDS']],
    [['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'], []],
    [[], ['READ']],
  ])('of codex, for %j, are %j', (capabilities, rights) => {
    const { exact, broaderThanRequested } = agent('codex').restrict(capabilities);
    expect(broaderThanRequested.map((reason) => reason.split(':')[0])).toEqual(rights);
    expect(exact).toBe(rights.length === 0);
  });

  it('are not asked of a program that the project names: it runs what its author wrote', () => {
    expect(program.restrict(['READ'])).toEqual({ exact: true, broaderThanRequested: [] });
  });
});

describe('what a step owes', () => {
  const owed = { owed: ['/project/plan.md', '/project/out'] };

  it('may be written without EDIT, where the CLI can be given just that', () => {
    const rules = argumentsOf('claude', ['READ'], owed).join(' ');
    expect(rules).toContain('Edit(//project/plan.md),Edit(//project/plan.md/**),Edit(//project/out),');
    const { files } = agent('gemini').start(invocation({ capabilities: ['READ'], ...owed }));
    const patterns = [...(files['gemini-policy.toml'] ?? '').matchAll(/^argsPattern = (.*)$/gm)].map(
      ([, text]) => new RegExp(JSON.parse(text ?? '') as string),
    );
    const allowed = (path: string) => {
      const call = `\0${JSON.stringify({ file_path: path }).slice(1, -1)}\0`;
      return patterns.some((pattern) => pattern.test(call));
    };
    const paths = ['plan.md', 'out/a/b.txt', 'plan.md.bak', 'out/../x', 'src/plan.md'];
    expect(paths.map((path) => allowed(`/project/${path}`))).toEqual([true, true, false, false, false]);
    const { env } = agent('opencode').start(invocation({ capabilities: ['READ'], ...owed }));
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as { permission: { edit: object } };
    expect(config.permission.edit).toMatchObject({ '*': 'deny', 'plan.md': 'allow', '*/out/*': 'allow' });
  });

  it('adds nothing for a role that may edit', () => {
    expect(argumentsOf('claude', ['EDIT'], owed).join(' ')).not.toContain('plan.md');
  });
});

describe('the variant of a model', () => {
  it.each([
    ['claude', ['--effort', 'high']],
    ['codex', ['-c', 'model_reasoning_effort="high"']],
    ['opencode', ['--variant', 'high']],
    ['pi', ['--thinking', 'high']],
    ['agy', ['--effort', 'high']],
  ])('is a switch of %s', (name, expected) => {
    const [plain, line] = [{}, { variant: 'high' }].map((each) =>
      agent(name).start(invocation(each)).argv.join(' '),
    );
    expect(plain).not.toContain(expected.join(' '));
    expect(`${line} `).toContain(` ${expected.join(' ')} `);
  });
});

describe('a limit of steps and of the time of a command', () => {
  const limits = { maxSteps: 2, maxCommandTime: 90_000 };

  it('is a switch of the CLI where it has one', () => {
    const claude = agent('claude').start(invocation(limits));
    expect(claude.argv.join(' ')).toContain('--max-turns 2 ');
    expect(claude.env).toMatchObject({ BASH_DEFAULT_TIMEOUT_MS: '90000', BASH_MAX_TIMEOUT_MS: '90000' });
    const settings = agent('gemini')
      .start(invocation(limits))
      .home?.settings.text('{ "model": { "maxSessionTurns": 9 } }', '');
    expect(JSON.parse(settings ?? '')).toMatchObject({ model: { maxSessionTurns: 2 } });
  });

  it.each([
    ['codex', { type: 'item.completed', item: { type: 'command_execution' } }],
    ['opencode', { type: 'step_finish', part: { reason: 'tool-calls' } }],
    ['pi', { type: 'message_end', message: { role: 'assistant' } }],
    ['agy', { event: 'step_update', step_update: { step_type: 'agent_response', state: 'DONE' } }],
  ])('is counted where %s has none', (name, event) => {
    const { overspent } = agent(name).start(invocation(limits));
    const line = `${JSON.stringify(event)}\n`;
    expect([1, 2, 3].map(() => overspent?.(line))).toEqual([false, false, true]);
    expect(agent(name).start(invocation()).overspent).toBeUndefined();
  });
});
