import { readFileSync } from 'node:fs';
import { builtInProviders, namedProvider } from '../../src/providers/index.ts';
import type { Session } from '../../src/kernel/cost.ts';
import type { Exit, Invocation, Outcome, Provider } from '../../src/providers/provider.ts';

/** Saturday, 2026-11-21 20:00 UTC. */
export const now = Date.parse('2026-11-21T20:00:00.000Z');

export const environment = {
  variables: { HOME: '/home/ada' },
  node: process.execPath,
  replayAgent: '/mailroom/bin/replay-agent.mjs',
  acpAgent: '/mailroom/bin/acp-agent.mjs',
  piExtension: '/mailroom/bin/pi-policy.mjs',
};

const folder = '/project/.mailroom/turns/t7/1';

export function invocation(changes: Partial<Invocation> = {}): Invocation {
  return {
    role: 'engineer',
    thread: '019a0000-0000-7000-8000-00000000000a',
    turn: 't7',
    attempt: 1,
    round: 0,
    prompt: 'Do it; "$(touch /tmp/x)" --dangerous\n',
    capabilities: ['READ'],
    owed: [],
    network: true,
    maxSteps: null,
    maxCommandTime: null,
    model: null,
    variant: null,
    workspace: '/project',
    project: '/project',
    session: null,
    budget: null,
    paths: {
      folder,
      prompt: `${folder}/prompt.md`,
      outbox: `${folder}/outbox`,
      messages: [`${folder}/messages/a.md`, `${folder}/messages/b.md`],
      stdout: `${folder}/stdout`,
      stderr: `${folder}/stderr`,
    },
    tools: null,
    mcp: null,
    mayConfigure: false,
    asking: null,
    env: {},
    ...changes,
  };
}

export function exit(changes: Partial<Exit> = {}): Exit {
  return {
    code: 0,
    signal: null,
    ended: 'exited',
    error: null,
    stdout: '',
    stderr: '',
    durationMs: 1234,
    edits: null,
    ...changes,
  };
}

interface Recorded {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** What a CLI wrote and how it ended, from test/fixtures/providers. */
export function fixture(provider: string, name: string): Exit {
  const path = new URL(`../fixtures/providers/${provider}/${name}.json`, import.meta.url);
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Recorded;
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  return exit({ ...recorded, stdout: text(recorded.stdout), stderr: text(recorded.stderr) });
}

export interface Agent {
  readonly name: string;
  readonly provider: Provider;
  /** The conversation that `text` began, as it was then. */
  readonly session: Session;
  /** What one request to the scripted model costs there; null: nobody knows. */
  readonly usd: number | null;
  readonly model: string | null;
  readonly denials: readonly string[];
}

const builtIn = builtInProviders(environment);

function builtInProvider(name: string): Provider {
  const found = builtIn.get(name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
}

/** One request of the scripted model: 1000 tokens in, 50 out. */
export const request = { usd: 0.00375, tokens: 1050 };

export const agents: readonly Agent[] = [
  {
    name: 'claude',
    provider: builtInProvider('claude'),
    session: { id: '78f3716b-6e06-4288-95f9-5f283c3a35f3', ...request },
    usd: request.usd,
    model: 'claude-sonnet-4-5',
    denials: ['Write: /project/denied.txt'],
  },
  {
    name: 'codex',
    provider: builtInProvider('codex'),
    session: { id: '01a20089-541f-7820-95d1-cce3ca22d974', usd: 0, tokens: request.tokens },
    usd: null,
    model: null,
    denials: [],
  },
  {
    name: 'gemini',
    provider: builtInProvider('gemini'),
    session: { id: 'd67e2cee-83fa-4a70-9390-5c4f099985c5', usd: 0.00175, tokens: request.tokens },
    // It tells none: 1000 tokens at $1.25 and 50 at $10 a million.
    usd: 0.00175,
    model: 'gemini-2.5-pro',
    denials: ['write_file: /project/denied.txt'],
  },
  {
    name: 'opencode',
    provider: builtInProvider('opencode'),
    session: { id: 'ses_dff75de3dffepbzLHcrKaSLE7C', ...request },
    usd: request.usd,
    model: null,
    denials: ['write: /project/denied.txt'],
  },
  {
    name: 'pi',
    provider: builtInProvider('pi'),
    session: { id: '01a20bbe-c672-7497-be57-8b24e5206e65', ...request },
    usd: request.usd,
    model: 'model',
    denials: ['write: /project/denied.txt'],
  },
  {
    name: 'agy',
    provider: builtInProvider('agy'),
    session: { id: '93f3c9f6-a7cc-4e73-bb8c-4fda4b3abdd8', usd: 0.00175, tokens: request.tokens },
    // It tells none: 1000 tokens at $1.25 and 50 at $10 a million.
    usd: 0.00175,
    model: 'gemini-2.5-pro',
    denials: [],
  },
];

/** Claude with arguments of its user. */
export function claudeWith(...words: readonly string[]): Provider {
  const config = { name: 'claude', kind: 'claude', command: ['claude'], tests: null, prices: null } as const;
  return namedProvider({ ...config, arguments: words, env: [], writable: [] }, environment);
}

/** A program of the project's own, set up as in mailroom.yaml. */
export const program = namedProvider(
  {
    name: 'reviewer',
    kind: 'command',
    command: ['node', 'review.mjs'],
    arguments: ['--fast'],
    env: ['REVIEW_*'],
    writable: ['~/.review', '/var/cache/review'],
    tests: null,
    prices: null,
  },
  environment,
);

export const replay = builtInProvider('replay');

/** Every provider that runs something. */
export const everybody: readonly Provider[] = [...agents.map((agent) => agent.provider), program, replay];

/** The parts of an outcome that decide how the turn goes on. */
export function verdict(outcome: Outcome): string {
  switch (outcome.is) {
    case 'done':
      return 'done';
    case 'later':
      return `later ${outcome.class === 'RETRYABLE_RATE_LIMIT' ? 'limited' : 'transient'} ${outcome.reason.code}`;
    case 'never':
      return `never ${outcome.reason.code}`;
  }
}
