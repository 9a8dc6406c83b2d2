import { shortCommit } from '../kernel/ids.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { duration } from '../kernel/times.ts';
import { clock, line, moment, money, pairs, printable, short } from './format.ts';
import { turnWords } from './status-text.ts';
import type { Colours } from './terminal.ts';
import type {
  CopyDocument,
  InvocationDocument,
  RequestDocument,
  Shown,
  MessageDocument,
} from '../documents/mail.ts';

/** All known details of one thing, as text for people. */
export function shownLines(shown: Shown, now: number, colours: Colours): string[] {
  switch (shown.kind) {
    case 'message':
      return messageLines(shown, now, colours);
    case 'thread':
      return threadLines(shown, now, colours);
    case 'turn':
      return turnLines(shown, now, colours);
    case 'refused':
      return [
        colours.bold('not accepted as a message'),
        ...pairs([
          ['file', shown.path],
          ['reason', shown.reason ?? ''],
        ]),
        '',
        ...printable(shown.text).trimEnd().split('\n'),
      ];
    default:
      return shown satisfies never;
  }
}

type Of<Kind extends Shown['kind']> = Extract<Shown, { kind: Kind }>;

function messageLines(
  { message, copies, request, thread }: Of<'message'>,
  now: number,
  colours: Colours,
): string[] {
  const {
    id,
    type,
    from,
    to,
    subject,
    created,
    turn,
    path,
    fields,
    attachments,
    commit,
    branch,
    landed,
    host,
  } = message;
  const values = Object.entries(fields).map(([name, value]) => `${name}: ${text(value)}`);
  const about = thread === null ? '' : `: ${thread.state} — ${thread.subject}`;
  return [
    colours.bold(line(subject)),
    ...pairs([
      ['message', id],
      ['type', type],
      ['from', turn === null ? from : `${from}, in turn ${turn}${host === null ? '' : ` on ${host}`}`],
      ['to', to.join(', ')],
      ['sent', moment(created)],
      ['thread', `${message.thread}${about}`],
      ['answers', message.in_reply_to ?? ''],
      ['fields', values.join(', ')],
      ['attached', attachments.join(', ')],
      ['commit', commit === null ? '' : `${shortCommit(commit)} on ${branch ?? ''}`],
      ['landed', landed === null ? '' : landedWords(landed)],
      ['file', path ?? ''],
      ...copies.map((copy) => [copy.role, copyWords(copy)] as const),
      ...(request === null ? [] : askPairs(request, now)),
    ]),
    '',
    ...printable(message.body).trimEnd().split('\n'),
  ];
}

function landedWords({ branch, commit, before }: NonNullable<MessageDocument['landed']>): string {
  const was = before === null ? '' : `, before ${shortCommit(before)}`;
  return `${shortCommit(commit)} on ${branch}${was}`;
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function copyWords({ at, turn, path, reason }: CopyDocument): string {
  const by = turn === null ? '' : ` by ${turn}`;
  const words = at === 'failed' && reason !== null ? `failed: ${reason}` : `${at}${by}`;
  return path === null ? words : `${words}  (${path})`;
}

function askPairs({ replies, deadline, asks }: RequestDocument, now: number): (readonly [string, string])[] {
  const end = deadline === null ? '' : `, until ${clock(deadline, now)}`;
  return [
    ['asks for', `${replies.join(' or ')}${end}`],
    ...asks.map(({ recipient, state, candidates, by }) => {
      if (state === 'open')
        return ['', `${recipient}: open; may be answered by ${candidates.join(', ')}`] as const;
      return ['', `${recipient}: ${state}${by === null ? '' : ` by ${short(by)}`}`] as const;
    }),
  ];
}

function sentLine({ id, type, from, to, subject }: MessageDocument): string {
  return line(`${short(id)}  ${from} → ${to.join(', ')}: ${type} — ${subject}`);
}

function threadLines({ id, thread, messages, turns }: Of<'thread'>, now: number, colours: Colours): string[] {
  return [
    colours.bold(line(thread?.subject ?? messages[0]?.subject ?? '')),
    ...pairs([
      ['thread', id],
      ['state', thread?.state ?? 'over'],
      ['reason', thread?.reason ? `${thread.reason.code}: ${thread.reason.text}` : ''],
      ['opened', thread ? moment(thread.opened) : ''],
      ['turns', thread ? String(thread.turns) : ''],
      ['worktree', thread?.worktree ?? ''],
      ...(thread?.checkouts ?? []).map(({ role, path }) => ['worktree', `${path}, of ${role}`] as const),
      ['cost', thread ? money(thread.cost) : ''],
      ...turns.map((turn) => [turn.role, turnWords(turn, now)] as const),
    ]),
    '',
    ...messages.map(sentLine),
  ];
}

function turnLines({ id, turn, sent, invocations }: Of<'turn'>, now: number, colours: Colours): string[] {
  const by = turn?.role ?? sent[0]?.from ?? '';
  return [
    colours.bold(line(`${id}${by === '' ? '' : ` of ${by}`}`)),
    ...pairs([
      ['state', turn ? turnWords(turn, now) : overWords(id, invocations)],
      ['thread', turn?.thread ?? sent[0]?.thread ?? ''],
      ['input', turn?.messages.map(short).join(', ') ?? ''],
      ['cost', turn ? money(turn.cost) : ''],
      ...sent.flatMap(({ landed }) => (landed === null ? [] : [['landed', landedWords(landed)] as const])),
    ]),
    ...invocations.flatMap((one) => ['', ...invocationLines(one, colours)]),
    ...(sent.length > 0 ? ['', 'sent:', ...sent.map(sentLine)] : []),
  ];
}

/** How a turn ended, by its last attempt, whose folder may be gone. */
function overWords(id: string, invocations: readonly InvocationDocument[]): string {
  const outcome = invocations.at(-1)?.result?.['outcome'];
  const is = isJsonObject(outcome) ? outcome['is'] : undefined;
  return is === 'later' || is === 'never' ? `failed; \`mailroom why ${id}\` says what can be done` : 'over';
}

function invocationLines(one: InvocationDocument, colours: Colours): string[] {
  const { attempt, round, prompt, stdout, stderr, changes, result } = one;
  const correction = round === 0 ? '' : `, correction ${String(round)}`;
  return [
    colours.bold(`attempt ${String(attempt)}${correction}`),
    ...pairs([
      ['prompt', prompt ?? ''],
      ['stdout', stdout ?? ''],
      ['stderr', stderr ?? ''],
      ['changes', changes ?? ''],
      ['result', result === null ? 'none yet' : resultWords(result)],
      ...list(result?.['reported']).map((report) => ['reported', report] as const),
    ]),
  ];
}

function list(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** How an attempt ended, for people. */
function endWords(outcome: Json | undefined): string {
  if (outcome === 'later') return 'attempt failed, and could be retried';
  return outcome === 'never' ? 'failed' : text(outcome ?? 'ended');
}

/** The summary of a result: how the invocation ended, its duration and its cost. */
function resultWords(result: Readonly<Record<string, Json>>): string {
  const outcome = isJsonObject(result['outcome']) ? result['outcome'] : {};
  const usage = isJsonObject(outcome['usage']) ? outcome['usage'] : {};
  const reason = isJsonObject(outcome['reason']) ? text(outcome['reason']['text'] ?? '') : '';
  const { usd, tokens } = usage;
  const cost = money({ usd: Number(usd ?? 0), tokens: Number(tokens ?? 0), unpriced: 0 });
  const parts = [
    typeof result['host'] === 'string' ? `on ${result['host']}` : '',
    `${endWords(outcome['is'])}${reason === '' ? '' : `: ${reason}`}`,
    typeof result['exit'] === 'number' ? `exit ${String(result['exit'])}` : '',
    typeof result['durationMs'] === 'number' ? duration(result['durationMs']) : '',
    cost,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
