import { isOpen } from '../fold/asks.ts';
import type { Ask, Sent, Staged } from '../event.ts';
import type { Draft } from '../../format/message.ts';
import { question, stepResult, type Protocol } from '../../format/protocol.ts';
import type { MailState, Phase, Turn } from '../state.ts';
import { isStep } from '../step.ts';
import { address, maySend, offered } from './address.ts';
import { authorOf } from './author.ts';
import { openingProblems } from './sub-threads.ts';
import type { MessageCheck } from '../../../kernel/message-check.ts';

type Returned = Turn & { readonly phase: Extract<Phase, { is: 'returned' }> };

/** A check of a message of a turn. */
export interface CheckOf {
  readonly check: MessageCheck;
  /** The type of the message. */
  readonly message: string;
}

type Judgement =
  | {
      readonly ok: true;
      readonly sent: readonly Sent[];
      readonly checks: readonly CheckOf[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Judges a turn's output: the messages to send, or all errors. Lists the gates without running
 * them.
 */
export function judge(state: MailState, protocol: Protocol, turn: Returned): Judgement {
  const { result } = turn.phase;
  const problems: string[] = [...result.violations];
  const sent: Sent[] = [];
  const take = (staged: Staged, draft: Draft | null) => {
    if (staged.problem !== null || draft === null)
      return problems.push(`${staged.name}: ${staged.problem ?? 'it is not a message'}`);
    const addressed = address(state, protocol, authorOf(state, turn, staged), draft);
    if ('problems' in addressed)
      return problems.push(...addressed.problems.map((text) => `${staged.name}: ${text}`));
    const { answers } = addressed.sent;
    if (answers && sent.some((one) => one.answers?.request === answers.request))
      return problems.push(`${staged.name}: this turn answers the same request twice`);
    return sent.push(addressed.sent);
  };
  for (const staged of result.staged) take(staged, staged.draft);
  if (problems.length === 0) {
    const spoken = finalMessage(state, protocol, turn, sent);
    if ('problem' in spoken) problems.push(spoken.problem);
    else if (spoken.draft && result.finalText) take(result.finalText, spoken.draft);
  }
  if (problems.length === 0) {
    const implied = resultOfStep(state, turn, sent);
    const addressed = implied && address(state, protocol, authorOf(state, turn, implied.at), implied.draft);
    if (addressed && 'sent' in addressed) sent.push(addressed.sent);
    problems.push(...closing(sent), ...debts(state, turn, sent), ...openingProblems(state, protocol, sent));
  }
  if (problems.length > 0) return { ok: false, problems };
  const checks = sent.flatMap(({ message }) =>
    (protocol.types.get(message.type)?.checks ?? []).map((check) => ({ check, message: message.type })),
  );
  return { ok: true, sent, checks };
}

/**
 * The asks that these messages leave unanswered. One answer settles all that its author owes to a
 * request.
 */
function unanswered(state: MailState, turn: Turn, sent: readonly Sent[]): Ask[] {
  return turn.owes.filter(
    (ask) => isOpen(state, ask) && !sent.some(({ answers }) => answers?.request === ask.request),
  );
}

/** A request in a thread that ends with it would never be answered. */
function closing(sent: readonly Sent[]): string[] {
  const asks = sent.find(({ request }) => request !== null)?.message.type;
  const closes = sent.find((one) => one.closes)?.message.type;
  if (asks === undefined || closes === undefined) return [];
  return [`\`${closes}\` closes the thread, so \`${asks}\` would never be answered: send one of them`];
}

/** Open asks must be answered, or passed on by a request of the turn. */
function debts(state: MailState, turn: Turn, sent: readonly Sent[]): string[] {
  const owed = unanswered(state, turn, sent);
  if (owed.length === 0) return [];
  if (sent.some(({ closes }) => closes))
    return [
      `a message that closes the thread must not be sent while you owe an answer: ${describe(state, owed)}`,
    ];
  if (sent.some(({ request }) => request !== null)) return [];
  return [`an answer is owed: ${describe(state, owed)}`];
}

function describe(state: MailState, owed: readonly Ask[]): string {
  const one = ({ request }: Ask) => {
    const mail = state.mail.get(request);
    const types = mail?.request?.replies.map((type) => `\`${type}\``).join(' or ') ?? '';
    return `${types} to ${mail?.message.from ?? ''}, in reply to ${request} (${mail?.message.subject ?? ''})`;
  };
  return owed.map(one).join('; ');
}

/**
 * The result of a step, if this turn ends it: the first that leaves no request of its own open. The
 * final text is the result, even if empty and whatever else the turn sends.
 */
function resultOfStep(
  state: MailState,
  turn: Returned,
  sent: readonly Sent[],
): { at: Pick<Staged, 'id' | 'created'>; draft: Draft } | null {
  const { result } = turn.phase;
  const owed = unanswered(state, turn, sent).find((ask) => owesStep(state, ask));
  if (!owed || !result.stepResult || sent.some(({ request }) => request !== null)) return null;
  const said = result.finalText?.draft;
  const draft: Draft = {
    type: stepResult.name,
    from: null,
    to: null,
    thread: null,
    inReplyTo: owed.request,
    subject: null,
    attachments: [],
    fields: said?.type === stepResult.name ? said.fields : {},
    extra: {},
    body: said?.body ?? result.text,
    frontMatter: true,
  };
  return { at: result.stepResult, draft };
}

function owesStep(state: MailState, { request }: Ask): boolean {
  const mail = state.mail.get(request);
  return mail !== undefined && isStep(mail.message);
}

const nothingToSend = /^\W*nothing to send\W*$/i;

/** The message in the final text, if any: agents that cannot write files can send messages too. */
function finalMessage(
  state: MailState,
  protocol: Protocol,
  turn: Returned,
  sent: readonly Sent[],
): { draft: Draft | null } | { problem: string } {
  const { result } = turn.phase;
  const { finalText } = result;
  const all = unanswered(state, turn, sent);
  // The result of a step need not be written as a message, but can be.
  const isResult = finalText?.draft?.type === stepResult.name;
  const owed = all.filter((ask) => isResult || !owesStep(state, ask));
  const asked = sent.some(({ request }) => request !== null);
  const silent = result.text.trim() === '' || nothingToSend.test(result.text);
  if (owed.length > 0 && !asked && !sent.some(({ closes }) => closes)) {
    if (silent || !finalText) return { problem: `an answer is owed: ${describe(state, owed)}` };
    const spoken = typed(protocol, turn, finalText);
    return 'draft' in spoken || finalText.draft === null
      ? spoken
      : { problem: `an answer is owed: ${describe(state, owed)}; ${spoken.problem}` };
  }
  if (owed.length > 0 || result.staged.length > 0 || silent || !finalText) return { draft: null };
  // Text for the run, not a message.
  if (all.length > 0 && (finalText.draft?.type ?? null) === null) return { draft: null };
  return typed(protocol, turn, finalText);
}

/**
 * A final text that says of which type it is. Any other may be a question, a limit that a program
 * reports, or what an agent is about to do, and must not pass for an answer.
 */
function typed(
  protocol: Protocol,
  { role }: Turn,
  { name, draft, problem }: Staged,
): { draft: Draft } | { problem: string } {
  if (draft === null) return { problem: `${name}: ${problem ?? ''}` };
  if (draft.type !== null) return { draft };
  const mayAsk = offered(protocol, role).some(({ name: one }) => one === question.name);
  const toAsk = mayAsk ? `, to ask \`type: ${question.name}\`` : '';
  return {
    problem:
      `your final text has no \`type\`, so it is not sent: ${maySend(protocol, role)}. Let its first line ` +
      `be \`type: …\`${toAsk}, or say only \`nothing to send\``,
  };
}
