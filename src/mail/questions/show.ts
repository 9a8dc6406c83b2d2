import { MailroomError, type Reason } from '../../kernel/errors.ts';
import { isJsonObject, parseJson, type JsonObject } from '../../kernel/json.ts';
import { idInName } from '../format/message.ts';
import type { Mail, MailState, Thread } from '../machine/state.ts';
import { resolve } from './directory.ts';
import {
  allMessages,
  copyPath,
  knownMessage,
  messageDocument,
  trailOf,
  type KnownMessage,
} from './messages.ts';
import type { Project } from '../../project/project.ts';
import { shownTurn } from './status.ts';
import { threadStatus } from '../controller/mail-summary.ts';
import { withWorktrees } from './read-status.ts';
import type { Directory } from '../../workflow/runs/targets.ts';
import { isoOrNull, type Moment } from '../../kernel/times.ts';
import type { MessageId, ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import type {
  MessageDocument,
  Shown,
  CopyDocument,
  RequestDocument,
  InvocationDocument,
} from '../../documents/mail.ts';
import type { ThreadStatus } from '../../documents/status.ts';

/**
 * Everything about the subject of a word: a message, a thread, a turn, or a refused file. Throws
 * `E_TARGET`; `others`: what else the caller can show; `until`: the end of the past that is
 * shown, in milliseconds since 1970.
 */
export function show(
  project: Project,
  state: MailState,
  word: string,
  others?: Directory['others'],
  until = Infinity,
): Shown {
  if (/^t\d+$/.test(word)) return showTurn(project, state, word);
  const refused = word.length >= 4 ? refusedFile(project, word) : null;
  if (refused) return refused;
  const named = resolve(project, state, word, ['message', 'thread'], others);
  if (named.kind === 'thread') return showThread(project, state, named.thread, until);
  return showMessage(project, state, foundMessage(project, state, named.message));
}

/** The message that a word names. Throws `E_TARGET`. */
export function messageNamed(project: Project, state: MailState, word: string): MessageDocument {
  const { message } = resolve(project, state, word, ['message']);
  return messageDocument(project, foundMessage(project, state, message));
}

function foundMessage(project: Project, state: MailState, id: MessageId): KnownMessage {
  const mail = state.mail.get(id);
  const known = mail
    ? knownMessage(state, mail.message)
    : allMessages(project, state).find(({ message }) => message.id === id);
  if (!known) throw new MailroomError('E_TARGET', `there is no message ${id}`);
  return known;
}

/**
 * The same for the state of a project, now or at a moment. `kind`: of the things with this id only
 * that one.
 */
export function showAt(
  project: Project,
  word: string,
  moment: Moment | null,
  kind: 'thread' | null = null,
): Shown {
  const state = moment === null ? project.journal.state() : project.journal.past(moment).state;
  const until = moment === null ? Infinity : 'time' in moment ? moment.time : state.now;
  // The message that opened a thread has the same id.
  if (kind === 'thread')
    return showThread(project, state, resolve(project, state, word, ['thread']).thread, until);
  return show(project, state, word, undefined, until);
}

function showMessage(project: Project, state: MailState, known: KnownMessage): Shown {
  const { message, mail } = known;
  const thread = state.threads.get(message.thread);
  return {
    schema: 1,
    kind: 'message',
    message: messageDocument(project, known),
    copies: mail ? copiesOf(project, mail) : filedCopies(project, state, known),
    request: mail?.request ? requestDocument(state, mail) : null,
    thread: shownThread(project, state, thread),
  };
}

function copiesOf(project: Project, { message, deliveries }: Mail): CopyDocument[] {
  return [...deliveries].map(([role, delivery]) => {
    const path = copyPath(message, role, delivery);
    return {
      role,
      at: delivery.at,
      turn: delivery.at === 'claimed' || delivery.at === 'failed' ? (delivery.turn ?? null) : null,
      path: path !== null && project.files.exists(path) ? path : null,
      reason: delivery.at === 'failed' ? inWords(delivery.reason) : null,
    };
  });
}

function inWords({ code, text }: Reason): string {
  return `${code}: ${text}`;
}

/** The copies of a message that the state has forgotten, from the folders. */
function filedCopies(project: Project, state: MailState, { message }: KnownMessage): CopyDocument[] {
  return message.to.map((role): CopyDocument => {
    if (state.unread.has(`${message.id} ${role}`))
      return {
        role,
        at: 'unread',
        turn: null,
        path: copyPath(message, role, { at: 'unread' }),
        reason: null,
      };
    for (const at of ['processed', 'failed', 'inbox'] as const) {
      const path = copyPath(message, role, { at }) ?? '';
      if (project.files.exists(path))
        return { role, at, turn: null, path, reason: reasonBeside(project, path) };
    }
    return { role, at: 'unknown', turn: null, path: null, reason: null };
  });
}

function reasonBeside(project: Project, path: string): string | null {
  return project.files.read(`${path}.reason.txt`)?.trim() ?? null;
}

function requestDocument(state: MailState, { message, request }: Mail): RequestDocument {
  const asks = [...(request?.asks ?? [])].map(([recipient, ask]) => ({
    recipient,
    state: ask.is,
    candidates: ask.is === 'open' ? ask.candidates : [],
    by: ask.is === 'answered' ? ask.by : null,
  }));
  return {
    replies: request?.replies ?? [],
    blocks: request?.blocks ?? 'none',
    deadline: isoOrNull(state.deadlines.get(message.id) ?? null),
    asks,
  };
}

function showThread(project: Project, state: MailState, id: ThreadId, until: number): Shown {
  const thread = state.threads.get(id);
  const holder = project.holder();
  const turns = [...state.turns.values()].filter((turn) => turn.thread === id);
  return {
    schema: 1,
    kind: 'thread',
    id,
    thread: shownThread(project, state, thread),
    // Their files are still there of what came later.
    messages: trailOf(project, state, id).filter(({ created }) => Date.parse(created) <= until),
    turns: turns.map((turn) => shownTurn(holder, state, turn)),
  };
}

function shownThread(project: Project, state: MailState, thread: Thread | undefined): ThreadStatus | null {
  return withWorktrees(project, thread ? [threadStatus(thread, state)] : [])[0] ?? null;
}

function showTurn(project: Project, state: MailState, id: TurnId): Shown {
  const turn = state.turns.get(id);
  const holder = project.holder();
  const invocations = invocationsOf(project, id);
  if (!turn && invocations.length === 0)
    throw new MailroomError(
      'E_TARGET',
      `there is no turn ${id}`,
      'turns are t1, t2, … as `status` and `trail` name them',
    );
  const sent = [...state.mail.values()]
    .filter((mail) => mail.turn === id)
    .map((mail) => messageDocument(project, knownMessage(state, mail.message)));
  return {
    schema: 1,
    kind: 'turn',
    id,
    turn: turn ? shownTurn(holder, state, turn) : null,
    sent,
    invocations,
  };
}

/**
 * The maximum number of folders examined, above the attempts and corrections that any protocol
 * allows.
 */
const mostFolders = 1_000;

/** The invocations of a turn whose folders still exist, in order. */
export function invocationsOf(project: Project, id: TurnId): InvocationDocument[] {
  const found: InvocationDocument[] = [];
  for (let attempt = 1; attempt <= mostFolders; attempt += 1) {
    const folder = `.mailroom/turns/${id}/${String(attempt)}`;
    if (!project.files.exists(folder)) break;
    for (let round = 0; round <= mostFolders; round += 1) {
      const mark = round === 0 ? '' : `-${String(round)}`;
      const existing = (name: string) =>
        project.files.exists(`${folder}/${name}`) ? `${folder}/${name}` : null;
      const prompt = existing(`prompt${mark}.md`);
      if (prompt === null) break;
      const result = resultOf(project.files.read(`${folder}/result${mark}.json`));
      const stdout = existing(`stdout${mark}`);
      const [stderr, changes] = [existing(`stderr${mark}`), existing(`changes${mark}.patch`)];
      found.push({ attempt, round, prompt, stdout, stderr, changes, result });
    }
  }
  return found;
}

function resultOf(text: string | null): JsonObject | null {
  if (text === null) return null;
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/**
 * The refused file whose id is, or ends with, the word; null: none. Throws `E_TARGET` for several.
 */
function refusedFile(project: Project, word: string): Shown | null {
  const ending = word.toLowerCase();
  const found = project
    .roles()
    .flatMap((role) => project.mail(role, 'failed'))
    .filter(({ name }) => name.includes('-refused-') && idInName(name)?.endsWith(ending) === true);
  const [only] = found;
  if (found.length > 1) {
    const lines = [`\`${word}\` may be any of these:`, ...found.map(({ path }) => `  ${path}`)];
    throw new MailroomError('E_TARGET', lines.join('\n'), 'give the whole id, or more letters of its end');
  }
  return only
    ? {
        schema: 1,
        kind: 'refused',
        path: only.path,
        reason: reasonBeside(project, only.path),
        text: only.text,
      }
    : null;
}
