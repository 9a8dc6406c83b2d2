import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProviderKind } from '../../src/config/config.ts';
import { namedProvider } from '../../src/providers/index.ts';
import { recordOf } from '../../src/providers/recording.ts';
import { fixture as scriptOf } from '../process/support.ts';
import { letter, type Behaviour, type Player } from './provider-contract.ts';
import { agents, exit, fixture, request, type Agent } from './samples.ts';
import type { Ran, TurnFixture } from './turns.ts';
import type { Session } from '../../src/kernel/cost.ts';
import type { Outcome, Provider } from '../../src/providers/provider.ts';

const speaker = fileURLToPath(new URL('../fixtures/agents/speaks.mjs', import.meta.url));
const replayAgent = fileURLToPath(new URL('../../bin/replay-agent.mjs', import.meta.url));

/** A provider of this kind behind which another program stands. */
export function providerOf(kind: ProviderKind, command: readonly string[] | null): Provider {
  const config = {
    name: kind,
    kind,
    command,
    arguments: [],
    env: [],
    writable: [],
    tests: null,
    prices: null,
  };
  return namedProvider(config, {
    variables: { HOME: '/nowhere' },
    node: process.execPath,
    replayAgent,
    acpAgent: '',
    piExtension: '',
  });
}

/** What is the same whatever program it is: a script under the program's name. */
const scripts: Partial<Record<Behaviour, string>> = {
  hangs: 'hangs.sh',
  'is deaf to TERM': 'ignores-term.sh',
  'does nothing': 'reads-nothing.sh',
  'writes garbage': 'writes-garbage.sh',
  'writes 100 MB': 'floods.sh',
};

/** Plays by a script what no model can make a program do; null where one can. */
export function playScript(
  kind: ProviderKind,
  place: TurnFixture,
  behaviour: Behaviour,
): Promise<Ran> | null {
  const script = scripts[behaviour];
  if (script === undefined) return null;
  const endless = script === 'hangs.sh' || script === 'ignores-term.sh';
  const provider = providerOf(kind, ['sh', scriptOf(script)]);
  return place.run(provider, place.turn(), endless ? { totalMs: 1000 } : {});
}

/** What `speaks.mjs` plays. */
interface Play {
  readonly files?: Readonly<Record<string, string>>;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number | null;
}

function speak(provider: Provider, place: TurnFixture, play: Play, session: Session | null): Promise<Ran> {
  return place.run(provider, place.turn({ env: { MAILROOM_PLAY: JSON.stringify(play) }, session }));
}

const mail = { 'answer.md': letter };

/** The recordings of the CLIs by what is seen in them. */
function recordingOf(behaviour: Behaviour, session: Session | null): string {
  switch (behaviour) {
    case 'answers':
      return session === null ? 'text' : 'resume';
    case 'writes mail':
      return 'edit-outbox';
    case 'is refused a tool':
      return 'read-denied';
    case 'is at its limit':
      return 'limit';
    case 'loses its connection':
      return 'cut';
    default:
      return behaviour.replace('is answered ', 'status-');
  }
}

/** A CLI as it was recorded: its words from a script under its name. */
function recorded({ name, usd, denials }: Agent): Player {
  const kind = name as ProviderKind;
  const provider = providerOf(kind, [process.execPath, speaker]);
  return {
    name: `${name}, as it was recorded,`,
    usage: { usd, tokens: request.tokens },
    sessions: true,
    nonsense: 'later transient',
    resetsInMs: 12_000_000,
    denials: () => denials,
    play(place, behaviour, session = null) {
      const script = playScript(kind, place, behaviour);
      if (script !== null) return script;
      const said = fixture(name, recordingOf(behaviour, session));
      const files = behaviour === 'writes mail' ? mail : {};
      // Claude tells the instant itself, and the one that was recorded has passed.
      const stdout = said.stdout.replace('1795300000', String(Math.ceil(Date.now() / 1000) + 12_000));
      return speak(provider, place, { stdout, stderr: said.stderr, code: said.code, files }, session);
    },
  };
}

const counted = { usd: request.usd, tokens: request.tokens };
const usageLine = `usage: ${JSON.stringify(counted)}\n`;

/** How a program of the project's own says it. */
function wordsFor(behaviour: Behaviour): Play {
  switch (behaviour) {
    case 'is answered 400':
    case 'is answered 401':
    case 'is answered 403':
      return { code: 2 };
    case 'is answered 429':
      return { code: 75 };
    case 'is at its limit':
      return { code: 75, stderr: 'retry-after: 12000\n' };
    case 'is answered 500':
    case 'is answered 529':
    case 'loses its connection':
      return { code: 1 };
    default:
      return { stdout: 'Hello.', files: behaviour === 'writes mail' ? mail : {} };
  }
}

const command: Player = {
  name: 'a program of the project',
  usage: counted,
  sessions: false,
  nonsense: 'done',
  resetsInMs: 12_000_000,
  // It does what its author wrote: nothing is refused to it.
  denials: () => [],
  play(place, behaviour, session = null) {
    const play = wordsFor(behaviour);
    const provider = providerOf('command', [process.execPath, speaker]);
    const stderr = `${play.stderr ?? ''}${usageLine}`;
    return playScript('command', place, behaviour) ?? speak(provider, place, { ...play, stderr }, session);
  },
};

/** What came of the turn when it was recorded. */
function outcomeOf(behaviour: Behaviour): Outcome {
  const usage = counted;
  const reason = { code: 'E_PROVIDER', text: behaviour } as const;
  switch (behaviour) {
    case 'is answered 400':
    case 'is answered 401':
    case 'is answered 403':
      return { is: 'never', reason, usage, session: null };
    case 'is answered 429':
    case 'is at its limit':
      return { is: 'later', class: 'RETRYABLE_RATE_LIMIT', reason, until: null, usage, session: null };
    case 'is answered 500':
    case 'is answered 529':
    case 'loses its connection':
      return { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null };
    default:
      return { is: 'done', text: 'Hello.', session: null, usage, model: null, denials: [] };
  }
}

const replay: Player = {
  ...command,
  name: 'a recording',
  // Nobody waits for a limit of last week.
  resetsInMs: 0,
  play(place, behaviour, session = null) {
    const script = playScript('replay', place, behaviour);
    if (script !== null) return script;
    const folder = join(place.root, 'recording');
    const turn = place.turn({ env: { MAILROOM_RECORDING: folder }, session });
    const files = Object.entries(behaviour === 'writes mail' ? mail : {});
    const staged = files.map(([name, text]) => ({ name, content: { ok: true as const, text } }));
    const { name, json } = recordOf(turn, [], exit(), staged, outcomeOf(behaviour));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), json);
    return place.run(providerOf('replay', null), turn);
  },
};

/** Everybody, played without a model. */
export const scriptedPlayers: readonly Player[] = [...agents.map(recorded), command, replay];
