import { describe, expect, it } from 'vitest';
import { attempt, looks, type Row } from './support/attempts.ts';
import { claude, codex, gemini, pi } from './support/clis.ts';

const exact: readonly Row[] = [
  [['READ'], ['mail']],
  [
    ['READ', 'EDIT'],
    ['mail', 'edit'],
  ],
  [
    ['READ', 'RUN_TESTS'],
    ['mail', 'test'],
  ],
  [
    ['READ', 'EDIT', 'RUN_TESTS'],
    ['mail', 'edit', 'test', 'redirect'],
  ],
];

describe.each([claude, gemini])('$name', (cli) => {
  it.each(exact)('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(cli, capabilities)).toEqual(done);
  });

  it('runs any command with RUN_COMMANDS, and its tools do not write outside', async () => {
    const done = await attempt(cli, ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS']);
    expect(done).toEqual(['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run']);
  });
});

describe('claude', () => {
  it('with READ runs no command, whatever the settings of the person allow', async () => {
    const settings = {
      permissions: { allow: ['Bash', 'Bash(touch:*)', 'Bash(npm test:*)'], defaultMode: 'bypassPermissions' },
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
      disableAllHooks: true,
    };
    const own = { ...claude, files: () => ({ '.claude/settings.json': settings }) };
    expect(await attempt(own, ['READ'])).toEqual(['mail']);
  });

  it('with READ does not even look with its shell, and says what it was refused', async () => {
    const { results, denials } = await looks(claude, ['READ'], ['ls', 'cat package.json', 'git status']);
    expect(results.join()).not.toContain('scripts');
    expect(denials).toEqual(['Bash: ls', 'Bash: cat package.json', 'Bash: git status']);
  });
});

describe('pi', () => {
  it.each<Row>([
    ...exact.slice(0, 3),
    // A redirection is refused with the command before it.
    [
      ['READ', 'EDIT', 'RUN_TESTS'],
      ['mail', 'edit', 'test'],
    ],
    [
      ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run', 'outside'],
    ],
  ])('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(pi, capabilities)).toEqual(done);
  });
});

describe('codex', () => {
  it.each<Row>([
    [['READ'], ['mail']],
    // It has a shell or nothing: what it widens is said by `mailroom check`.
    [
      ['READ', 'EDIT'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
    [
      ['READ', 'RUN_TESTS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
    [
      ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run'],
    ],
  ])('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(codex, capabilities)).toEqual(done);
  });

  it('with READ keeps to it whatever sandbox the settings of the person name', async () => {
    const settings = { '.codex/config.toml': 'sandbox_mode = "danger-full-access"\n' };
    expect(await attempt({ ...codex, files: () => settings }, ['READ'])).toEqual(['mail']);
  });
});
