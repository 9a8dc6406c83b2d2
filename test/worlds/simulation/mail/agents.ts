import type { Message } from '../../../../src/mail/format/message.ts';
import {
  hasQuestion,
  question,
  typeNamed,
  typesFrom,
  type MessageType,
  type Protocol,
} from '../../../../src/mail/format/protocol.ts';
import type { MailState, Turn } from '../../../../src/mail/machine/state.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';
import { misbehave, strange, type Hand } from './misbehaviour.ts';
import type { Random } from '../random.ts';
import { ended, type Script } from './scripted-runner.ts';
import type { Timeline } from '../timeline.ts';
import type { RoleName } from '../../../../src/kernel/ids.ts';
import type { Outcome } from '../../../../src/providers/provider.ts';
import type { AgentJob } from '../../../../src/host/runner/runner.ts';

export interface Stage {
  readonly disk: MemoryDisk;
  readonly protocol: Protocol;
  readonly random: Random;
  readonly timeline: Timeline;
  state(): MailState;
  /** True when everybody behaves: what is owed is answered, threads are closed. */
  calm(): boolean;
  /** Something was put somewhere else than into the staging folder. */
  hint(): void;
}

const free = { usd: 0.01, tokens: 10 };
const unknown = { usd: null, tokens: null };

/** How long an agent works that never ends by itself, where nothing limits it. */
const forEver = 120_000;

/** Agents that mostly do what they should, and sometimes whatever an agent can do wrong. */
export function scriptedAgents(stage: Stage): Script {
  const { random } = stage;
  return (job) => {
    const lasts = random.below(stage.calm() ? 500 : random.pick([2_000, 20_000, 60_000]));
    const trouble = stage.calm() ? null : strange(random, stage.timeline.now);
    if (trouble === 'never') {
      const reason = { code: 'E_TIMEOUT', text: 'timed out' } as const;
      const rest = { reason, until: null, usage: unknown, session: null };
      const outcome = { is: 'later', class: 'RETRYABLE_TRANSIENT', ...rest } as const;
      return { outcome, exit: ended('total-timeout'), lasts: Math.min(job.totalMs ?? forEver, forEver) };
    }
    if (trouble) return { outcome: trouble, exit: ended('exited', 1), lasts };
    const text = write(stage, job);
    const usage = random.chance(0.2) ? unknown : free;
    const done = { is: 'done', text, session: null, usage, model: null, denials: [] } as const;
    const outcome: Outcome = wantsMore(stage, job) ? { ...done, asks: [wanted] } : done;
    return { outcome, exit: ended('exited', 0), lasts };
  };
}

const wanted = { key: 'k', title: 'npm i', kind: 'execute', command: 'npm i', paths: [], input: null };

/** Whether an agent stops because a person must first allow something. */
function wantsMore(stage: Stage, { invocation: { asking } }: AgentJob): boolean {
  if (asking === null || asking.allowed.length + asking.denied.length > 0) return false;
  return !stage.calm() && stage.random.chance(0.2);
}

/** Writes what the agent hands over; returns its final text. */
function write(stage: Stage, job: AgentJob): string {
  const { random, protocol } = stage;
  const state = stage.state();
  const turn = state.turns.get(job.invocation.turn);
  if (!turn) return '';
  const hand: Hand = {
    put: (name, text) =>
      stage.disk.plant(`${job.invocation.paths.outbox.slice(stage.disk.root.length + 1)}/${name}`, text),
    elsewhere: (path, text) => {
      stage.disk.plant(path, text);
      stage.hint();
    },
  };
  if (!stage.calm()) misbehave(random, protocol, turn, hand);
  const owed = turn.owes.filter(
    ({ request, recipient }) => state.mail.get(request)?.request?.asks.get(recipient)?.is === 'open',
  );
  const mayAsk = !turn.mustAnswer && !stage.calm();
  if (owed.length > 0) {
    if (mayAsk && random.chance(0.25)) return ask(stage, turn, hand);
    if (!stage.calm() && random.chance(0.05)) return 'nothing to send';
    return answer(stage, [...new Set(owed.map(({ request }) => request))], hand);
  }
  const closing = typesFrom(protocol, turn.role).find(({ closes }) => closes);
  if (closing && random.chance(stage.calm() ? 0.9 : 0.15))
    hand.put('close.md', letter(random, closing, closing.to, null));
  else if (mayAsk && random.chance(0.4)) return ask(stage, turn, hand);
  else if (random.chance(stage.calm() ? 0.2 : 0.6)) mention(stage, turn, hand);
  return '';
}

function answer(stage: Stage, owed: readonly string[], hand: Hand): string {
  const { random, protocol } = stage;
  const state = stage.state();
  for (const [index, request] of owed.entries()) {
    const mail = state.mail.get(request);
    const type = typeNamed(protocol, random.pick(mail?.request?.replies ?? []) ?? '');
    if (!mail || !type) continue;
    const text = () => letter(random, type, [mail.message.from], mail.message);
    // Where nothing is staged, the final text is the answer.
    if (owed.length === 1 && random.chance(0.1)) return text();
    hand.put(`answer-${String(index)}.md`, text());
    if (!stage.calm() && random.chance(0.03)) hand.put(`again-${String(index)}.md`, text());
  }
  return '';
}

function ask(stage: Stage, turn: Turn, hand: Hand): string {
  const { random, protocol } = stage;
  const own = typesFrom(protocol, turn.role).filter(({ reply }) => reply.length > 0);
  const types = hasQuestion(protocol) ? [...own, { ...question, to: sendersOf(stage, turn) }] : own;
  if (types.length === 0) return 'nothing to send';
  const count = types.some(({ opens }) => opens !== null) ? 1 + random.below(3) : random.chance(0.2) ? 2 : 1;
  for (let index = 0; index < count; index += 1) {
    const type = random.pick(types);
    const others = type.to.filter((name) => name !== turn.role);
    if (others.length === 0) continue;
    const to = random.chance(0.35) ? others : [random.pick(others)];
    hand.put(`ask-${String(index)}.md`, letter(random, type, to, null));
  }
  return '';
}

/** From whom the mail of a turn is: some of them cannot be asked. */
function sendersOf(stage: Stage, { messages }: Turn): RoleName[] {
  const { mail } = stage.state();
  return [...new Set(messages.flatMap((id) => mail.get(id)?.message.from ?? []))];
}

/** A message that neither asks, nor answers, nor closes. */
function mention(stage: Stage, turn: Turn, hand: Hand): void {
  const { random, protocol } = stage;
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  const types = typesFrom(protocol, turn.role).filter(
    ({ name, reply, closes }) => reply.length === 0 && !closes && !replies.has(name),
  );
  if (types.length === 0) return;
  const type = random.pick(types);
  hand.put(
    'mention.md',
    letter(random, type, type.name === 'build' ? type.to : [random.pick(type.to)], null),
  );
}

function letter(random: Random, type: MessageType, to: readonly RoleName[], request: Message | null): string {
  const copied = random.chance(0.05) && request ? [`id: ${request.id}`, `created: 2020-01-01T00:00:00Z`] : [];
  const named = request && random.chance(0.5) ? [`in_reply_to: ${request.id}`] : [];
  const fields = Object.entries(type.fields).map(
    ([name, { enum: values }]) => `  ${name}: ${JSON.stringify(values?.[0] ?? 'x')}`,
  );
  return [
    '---',
    `type: ${type.name}`,
    `to: [${to.join(', ')}]`,
    ...copied,
    ...named,
    ...(fields.length > 0 ? ['fields:', ...fields] : []),
    '---',
    `Words ${String(random.below(1_000_000))}`,
    '',
  ].join('\n');
}
