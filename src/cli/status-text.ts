import { listed } from '../kernel/enumerate.ts';
import { shortCommit } from '../kernel/ids.ts';
import { cut } from './columns.ts';
import type { Colours, Room } from './terminal.ts';
import type { Reason } from '../kernel/errors.ts';
import { turnCommand } from '../mail/machine/answering.ts';
import { asTree, indent } from '../kernel/thread-tree.ts';
import { withHead, workflowLines } from './workflow-status-text.ts';
import { ahead, clock, line, moment, money, short, since, table, whyWords } from './format.ts';
import type {
  RoleActivity,
  RoleStatus,
  TurnStatus,
  StatusDocument,
  WaitingThread,
} from '../documents/status.ts';
import type { Explained } from '../documents/common.ts';

interface Style {
  readonly now: number;
  /** Whether to list ended threads too. */
  readonly all: boolean;
  /** Of the screen for all lines; null: they may be more. */
  readonly room: Room | null;
  readonly colours: Colours;
}

/** The status as text for people. */
export function statusLines(document: StatusDocument, look: Style): string[] {
  const { roles, threads, problems } = document;
  const above = [...headLines(document, look), '', ...roleLines(document, look)];
  const below = [
    ...landingLines(document, look),
    ...workflowLines(document, look),
    ...(roles.length === 0 && problems.length === 0 ? ['no roles yet'] : []),
  ];
  // Beside the threads: a blank line, their head, two lines that count others, and a last row.
  const most = look.room === null ? Infinity : Math.max(3, look.room.rows - above.length - below.length - 5);
  return [...above, ...(threads.length > 0 ? ['', ...threadLines(threads, look, most)] : []), ...below];
}

function headLines(document: StatusDocument, { now, colours }: Style): string[] {
  const { at, controller, paused, parked, cost, recorded, problems } = document;
  const lines = [
    at !== null
      ? `at          ${moment(at.time)}, record ${String(at.record)} of the journal`
      : controller === null
        ? `controller  ${colours.yellow('none runs')}; \`mailroom up\` starts one`
        : `controller  process ${String(controller.pid)} on ${controller.host} for ${since(controller.since, now)}${controller.triggers ? '' : '; a run, until it is over'}`,
  ];
  const today = money(cost.today);
  if (today !== '') lines.push(`today       ${today}`);
  if (paused.all) lines.push(colours.yellow('paused      everything; `mailroom unpause all` continues'));
  for (const thread of paused.threads) lines.push(colours.yellow(`paused      thread ${short(thread)}`));
  for (const { provider, until } of parked)
    lines.push(colours.yellow(`parked      ${provider} until ${clock(until, now)}, in ${ahead(until, now)}`));
  if (document.protocol_changed) lines.push(colours.yellow('protocol    changed on disk, and not used yet'));
  if (recorded > 0)
    lines.push(
      colours.yellow(`recorded    ${String(recorded)} in outboxes; the next \`mailroom up\` sends them`),
    );
  if (document.workers !== null) lines.push(`workers     ${workersWords(document.workers)}`);
  for (const problem of problems) lines.push(colours.red(`problem     ${line(problem)}`));
  return lines;
}

/** Who is there, and how busy they are together. */
function workersWords(workers: NonNullable<StatusDocument['workers']>): string {
  const there = workers.filter(({ state }) => state !== 'silent');
  if (workers.length === 0) return 'none; start one on each host: `mailroom worker --roles <names>`';
  const slots = there.reduce((sum, worker) => sum + worker.slots, 0);
  const running = there.reduce((sum, worker) => sum + worker.running.length, 0);
  const hosts = [...new Set(there.map(({ host }) => line(host)))];
  const others = (['paused', 'draining', 'silent'] as const).flatMap((state) => {
    const count = workers.filter((worker) => worker.state === state).length;
    return count === 0 ? [] : [`${String(count)} ${state}`];
  });
  const busy = `${String(running)} of ${String(slots)} slots in use`;
  return [`${String(there.length)} on ${listed(hosts)}`, busy, ...others].join(', ');
}

const paint: Readonly<Record<RoleActivity, (colours: Colours, text: string) => string>> = {
  paused: (colours, text) => colours.yellow(text),
  parked: (colours, text) => colours.yellow(text),
  running: (colours, text) => colours.green(text),
  held: (colours, text) => colours.yellow(text),
  interrupted: (colours, text) => colours.yellow(text),
  waiting: (colours, text) => colours.cyan(text),
  idle: (colours, text) => colours.dim(text),
};

function roleLines({ roles, turns }: StatusDocument, { now, colours }: Style): string[] {
  const rows = roles.map((role) => [
    role.name,
    role.state,
    String(role.inbox),
    String(role.turns),
    money(role.cost),
    nowOf(role, turns, now),
  ]);
  const [head = '', ...lines] = table(['ROLE', 'STATE', 'INBOX', 'TURNS', 'COST', 'NOW'], rows);
  // Colours are added after alignment, since they have no width.
  const painted = lines.map((text, index) => {
    const state = roles[index]?.state ?? 'idle';
    return text.replace(` ${state}`, () => ` ${paint[state](colours, state)}`);
  });
  return [colours.dim(head), ...painted];
}

/** The landing queues, each in its order. */
function landingLines({ landings }: StatusDocument, { colours, now }: Style): string[] {
  if (landings.length === 0) return [];
  const rows = landings.map(({ branch, state, turn, role, commit, changes, blocked, since: queued }) => [
    branch,
    state === 'approval'
      ? `waits for \`${turnCommand('approve', turn, null, changes)}\``
      : blocked === null
        ? state
        : 'blocked',
    `${turn} of ${role}`,
    shortCommit(commit),
    since(queued, now),
    blocked === null ? '' : line(blocked),
  ]);
  return ['', ...withHead(table(['LANDS ON', 'STATE', 'WORK', 'COMMIT', 'FOR', ''], rows), colours)];
}

/** What a role does; where its mail waits, the reason in place of what it waits for. */
function nowOf(role: RoleStatus, turns: readonly TurnStatus[], now: number): string {
  if (role.why === null) return doing(role, turns, now);
  const own = doing({ ...role, waits: [] }, turns, now);
  const why = own.includes(role.why.reason) ? [] : whyWords(role.why, now);
  return [...(own === '' ? [] : [own]), ...why].join('; ');
}

/** Describes what a role does and waits for. */
export function doing(role: RoleStatus, turns: readonly TurnStatus[], now: number): string {
  const own = turns.filter((turn) => turn.role === role.name);
  const parts = own.map((turn) => turnWords(turn, now));
  for (const wait of role.waits) {
    const asked = `${wait.types.join(', ')} ${wait.messages.map(short).join(', ')}`;
    const end = wait.deadline === null ? '' : `, until ${clock(wait.deadline, now)}`;
    parts.push(`waits for ${wait.roles.join(', ')} for ${since(wait.since, now)} (${asked}${end})`);
  }
  for (const { message, type, to } of role.owes)
    parts.push(`owes ${to} an answer to ${type} ${short(message)}`);
  return parts.join('; ');
}

/** Describes what a turn that has not ended does. */
export function turnWords(
  { id, state, attempt, round, again, progress, ...turn }: TurnStatus,
  now: number,
): string {
  const tries = attempt > 1 ? `, attempt ${String(attempt)}` : '';
  const fallback = turn.instead_of === null ? '' : `, ${turn.provider} instead of ${turn.instead_of}`;
  const on = turn.worker === null ? '' : ` on ${turn.worker.host}`;
  const corrections = round > 0 ? `, correction ${String(round)}` : '';
  const wait = again !== null && Date.parse(again) > now ? ` in ${ahead(again, now)}` : '';
  switch (state) {
    case 'queued':
      return `${id} waits for a worker for ${since(turn.since, now)}${tries}${corrections}`;
    case 'running':
      return `${id} runs${on} for ${since(turn.since, now)}${tries}${corrections}${fallback}${progress === null ? '' : `: ${line(progress)}`}`;
    case 'held':
      return `${id} is held for ${since(turn.since, now)}${tries}${corrections}: ${line(turn.held ?? '')}`;
    case 'interrupted':
      return `${id} is interrupted; the next \`mailroom up\` starts it again`;
    case 'left':
      return `${id} was left running; the next \`mailroom up\` ends it and starts it again`;
    case 'checking':
      return `${id} is checked${tries}${corrections}`;
    case 'asking':
      return `${id} asks for approval for ${since(turn.since, now)}`;
    case 'landing':
      return `${id} lands`;
    case 'conflict':
      return `${id} waits until a person has resolved a conflict`;
    case 'pending':
    case 'failed':
      return `${id} starts again${wait}`;
    default:
      return state satisfies never;
  }
}

/** The number of ended threads listed without `--threads`. */
const fewEnded = 5;
/** The number of other threads listed without `--threads`. */
const manyOpen = 50;

/** Why a thread failed, or does not move. */
function because(reason: Reason | null, why: Explained | null, now: number): string[] {
  const texts = reason === null ? whyWords(why, now) : [`${reason.code}: ${reason.text}`];
  return texts.map((text) => `(${text})`);
}

/** What a person has to act on comes before the state. */
function threadState({ state, standing: { is, word } }: WaitingThread): string {
  if (is === 'needs you') return is;
  return is === 'failed' ? word : state;
}

/** `most`: how many are listed at most, those that have not ended first. */
function threadLines(
  threads: readonly WaitingThread[],
  { all, colours, now, room }: Style,
  most: number,
): string[] {
  const isEnded = ({ state }: WaitingThread) => state === 'closed' || state === 'failed';
  const older = (some: readonly WaitingThread[], few: number) =>
    some.slice(0, Math.max(0, some.length - few));
  const others = threads.filter((thread) => !isEnded(thread));
  const open = older(others, Math.min(all ? Infinity : manyOpen, most));
  const left = most - (others.length - open.length);
  const ended = older(threads.filter(isEnded), Math.min(all ? Infinity : fewEnded, left));
  const hidden = new Set([...ended, ...open]);
  const rows = asTree(threads.filter((thread) => !hidden.has(thread))).map(({ thread, depth }) => [
    short(thread.id),
    threadState(thread),
    String(thread.messages),
    String(thread.turns),
    money(thread.cost),
    indent(depth) + line([thread.subject, ...because(thread.reason, thread.why, now)].join(' ')),
  ]);
  const whole = table(['THREAD', 'STATE', 'MESSAGES', 'TURNS', 'COST', 'SUBJECT'], rows);
  const lines = room === null ? whole : whole.map((each) => cut(each, room.columns));
  const checkouts = threads.filter(
    ({ worktree, checkouts: own }) => worktree !== null || own.length > 0,
  ).length;
  const how = all ? '' : '; --threads lists them';
  const more = [
    ...(checkouts > 0
      ? [`${String(checkouts)} in worktrees; \`mailroom worktree\` lists what they made`]
      : []),
    ...(ended.length > 0 ? [`${String(ended.length)} older ended threads${how}`] : []),
    ...(open.length > 0 ? [`${String(open.length)} older open threads${how}`] : []),
  ];
  return [...withHead(lines, colours), ...more.map((text) => colours.dim(text))];
}
