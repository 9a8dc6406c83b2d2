import { describe, expect, it } from 'vitest';
import { builtInProviders, namedProvider, providersOf } from '../../src/providers/index.ts';
import { acpAgents } from '../../src/config/config.ts';
import { invocation, program, environment } from './samples.ts';

const session = { id: 'the-session', usd: 1, tokens: 10 };

describe('the providers of a project', () => {
  const config = { command: null, arguments: [], env: [], writable: [], tests: null, prices: null };

  it('are built in by name', () => {
    const providers = builtInProviders(environment);
    const own = ['agy', 'claude', 'codex', 'gemini', 'human', 'opencode', 'pi', 'replay'];
    expect([...providers.keys()].toSorted()).toEqual([...own, ...acpAgents].toSorted());
    for (const [name, provider] of providers) expect(provider.name).toBe(name);
    expect(providers.get('claude')?.sessions).toBe(true);
    expect(providers.get('replay')?.sessions).toBe(false);
  });

  it('run another program where the environment names one', () => {
    const variables = { HOME: '/home/ada', MAILROOM_CODEX_BIN: '/opt/codex', MAILROOM_CLAUDE_BIN: '' };
    const providers = builtInProviders({ ...environment, variables });
    expect(providers.get('codex')?.start(invocation()).argv[0]).toBe('/opt/codex');
    expect(providers.get('claude')?.start(invocation()).argv[0]).toBe('claude');
    expect(providers.get('replay')?.start(invocation()).argv).toEqual([
      process.execPath,
      environment.replayAgent,
    ]);
  });

  it('may write where their CLI keeps its state', () => {
    const variables = { HOME: '/home/ada', CODEX_HOME: '/data/codex', XDG_CACHE_HOME: '/cache' };
    const providers = builtInProviders({ ...environment, variables });
    const writable = (name: string) => providers.get(name)?.start(invocation()).writable;
    expect(writable('claude')).toEqual(['/home/ada/.claude']);
    expect(writable('codex')).toEqual(['/data/codex']);
    expect(writable('gemini')).toEqual(['/home/ada/.gemini']);
    expect(writable('opencode')).toContain('/cache/opencode');
    expect(writable('pi')).toEqual(['/home/ada/.pi/agent']);
  });

  it('are set up by mailroom.yaml', () => {
    const { argv, inherit, writable } = program.start(invocation());
    expect(argv).toEqual(['node', 'review.mjs', '--fast']);
    expect(inherit).toEqual(['REVIEW_*']);
    expect(writable).toEqual(['/home/ada/.review', '/var/cache/review']);
    const named = namedProvider(
      {
        ...config,
        name: 'fast',
        kind: 'codex',
        command: ['npx', 'codex'],
        arguments: ['-c', 'a=1'],
        tests: ['just test'],
      },
      environment,
    );
    const line = named.start(invocation({ session })).argv.join(' ');
    expect(line).toMatch(/^npx codex exec .* -c a=1 resume the-session -$/);
    const tester = namedProvider(
      { ...config, name: 'tester', kind: 'claude', tests: ['just test'] },
      environment,
    );
    expect(tester.start(invocation({ capabilities: ['RUN_TESTS'] })).argv.join(' ')).toContain(
      ',Bash(just test:*) ',
    );
  });

  it.each([
    ['claude', /"--system-prompt","You are a careful/],
    ['pi', /"--system-prompt","You are a careful/],
    ['opencode', /\\"prompt\\":\\"You are a careful/],
    ['gemini', /"GEMINI_SYSTEM_MD":"[^"]*gemini-system\.md".*"gemini-system\.md":"You are a careful/],
  ] as const)('give the model of %s a short system prompt where they say so', (kind, shown) => {
    const started = (changes: object) => {
      const { argv, env, files } = namedProvider(
        { ...config, name: 'mine', kind, ...changes },
        environment,
      ).start(invocation());
      return JSON.stringify({ argv, env, files });
    };
    expect(started({ systemPrompt: 'short' })).toMatch(shown);
    expect(started({})).not.toContain('You are a careful');
  });

  it('replace the built-in ones of their name', () => {
    const providers = providersOf(
      [{ ...config, name: 'claude', kind: 'claude', command: ['my-claude'] }],
      environment,
    );
    expect(providers.size).toBe(builtInProviders(environment).size);
    expect(providers.get('claude')?.start(invocation()).argv[0]).toBe('my-claude');
  });

  it('have a program', () => {
    const nothing = () => namedProvider({ ...config, name: 'mine', kind: 'command' }, environment);
    expect(nothing).toThrow(
      expect.objectContaining({ code: 'E_VALUE', message: 'provider mine names no command' }),
    );
  });

  it('never start a person', () => {
    const human = builtInProviders(environment).get('human');
    expect(() => human?.start(invocation())).toThrow(expect.objectContaining({ code: 'E_INTERNAL' }));
    expect(human?.restrict(['EDIT'])).toEqual({ exact: true, broaderThanRequested: [] });
  });
});
