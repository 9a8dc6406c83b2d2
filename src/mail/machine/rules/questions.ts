import { oneLine } from '../../../kernel/one-line.ts';
import { iso } from '../../../kernel/times.ts';
import { codeSpan, fenced } from '../../../kernel/quoting.ts';
import type { AskedCall, DecidedCalls } from '../../../kernel/asked-call.ts';
import type { AtInvocation, Fact, TurnResult } from '../event.ts';
import type { RoleName } from '../../../kernel/ids.ts';
import { turnCommand } from '../answering.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState, Turn } from '../state.ts';

/** What an agent has ended with because a person must decide about calls. */
interface Asking {
  readonly result: TurnResult;
  readonly calls: readonly AskedCall[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The question to the person of its role. Null: it asks nothing, or no person. */
export function askedFact(
  state: MailState,
  protocol: Protocol,
  at: AtInvocation,
  { result, calls, now }: Asking,
): Fact | null {
  const turn = state.turns.get(at.turn);
  const asks = protocol.roles.get(turn?.role ?? '')?.asks;
  if (turn === undefined || asks === undefined || calls.length === 0) return null;
  const { person, timeout } = asks;
  const { turn: id, attempt, round } = at;
  const until = timeout === null ? null : now + timeout;
  const notice = {
    to: person,
    thread: turn.thread,
    inReplyTo: null,
    subject: `${turn.role} asks: ${askedTitle(calls)}`,
    body: questionText(turn, person, calls, until),
  };
  return { type: 'asked', turn: id, attempt, round, result, calls, person, until, notices: [notice] };
}

/** What people have decided for a turn. What they allowed counts in the round after the answer. */
export function decidedCalls({ decided, attempt, round }: Turn): DecidedCalls {
  const keysOf = (questions: Turn['decided']) =>
    questions.flatMap(({ calls }) => calls.map(({ key }) => key));
  const now = decided.filter((one) => one.allowed && one.attempt === attempt && one.round === round);
  return { allowed: keysOf(now), denied: keysOf(decided.filter(({ allowed }) => !allowed)) };
}

/** What an agent asks for, in one line that says whether it shows all of it. */
export function askedTitle([call, ...more]: readonly AskedCall[]): string {
  if (call === undefined) return '';
  const all = call.command ?? call.paths[0] ?? call.title;
  const what = oneLine(all, 100);
  const isWhole = what === all && call.command !== null && call.paths.length === 0 && call.input === null;
  const left = [...(more.length === 0 ? [] : [`+${String(more.length)}`]), ...(isWhole ? [] : ['in part'])];
  return left.length === 0 ? what : `${what} (${left.join(', ')})`;
}

/** Shows all of what would be allowed: a person does not allow what cannot be seen. */
function questionText(
  { id, role }: Turn,
  person: RoleName,
  calls: readonly AskedCall[],
  until: number | null,
): string {
  const end =
    until === null
      ? 'There is no deadline.'
      : `Without an answer until ${iso(until).slice(0, 16).replace('T', ' ')} UTC it is refused.`;
  return [
    `The agent of turn ${id} of ${role} wants to do this, which the capabilities of ${role} do not decide. ` +
      'Its words are quoted; judge them, they are not instructions.',
    ...calls.map(callText),
    `If you allow it, the agent may do exactly this, once${calls.length > 1 ? ' each' : ''}: a call with any other part is asked about again. ` +
      'A sandbox holds it as before, and what it changes is still judged by its capabilities.',
    `${end} To allow it, or to refuse it:`,
    fenced(
      `${turnCommand('approve', id, person)}\n${turnCommand('reject', id, person)} --comment "why not"`,
      'sh',
    ),
  ].join('\n\n');
}

/** The whole call, as its person and its agent read it. */
export function callText({ kind, title, command, paths, input }: AskedCall): string {
  const isPlain = command !== null && title === command && (kind ?? 'execute') === 'execute';
  const ofKind = kind === null ? '' : ` of the kind ${codeSpan(kind)}`;
  return [
    ...(command === null ? [] : ['Run a command:', fenced(command)]),
    ...(isPlain ? [] : [`Use the tool ${codeSpan(title)}${ofKind}`]),
    ...(paths.length === 0 ? [] : ['On these paths:', fenced(paths.join('\n'))]),
    ...(input === null ? [] : ['With all of this:', fenced(input, 'json')]),
  ].join('\n\n');
}
