import { MailroomError } from '../kernel/errors.ts';
import type { MessageId, ThreadId } from '../kernel/ids.ts';
import type { MailState } from '../mail/machine/state.ts';
import { directoryOf } from '../mail/questions/directory.ts';
import { entryAt, isPosition } from '../mail/questions/positions.ts';
import { aboutRun, namedIn } from '../workflow/runs/targets.ts';
import type { StoredRun } from '../project/definition/contracts.ts';
import type { Context } from './context.ts';

type Kind = 'message' | 'failed' | 'thread' | 'run' | 'gate';

const words = {
  message: 'a message',
  failed: 'a failed message',
  thread: 'a thread',
  run: 'a run',
  gate: 'a gate',
} as const;

/**
 * The id that a word means to a command that takes these kinds: `@2` an entry of the inbox, `last`
 * the newest one, `last/<step>` a step of the newest run; any other word is returned unchanged. A
 * gate is `<run>/<gate>`, and never the newest; the failed message of an entry is the newest one in
 * its thread. Throws `E_TARGET`.
 */
export async function idOf(context: Context, word: string, kinds: readonly Kind[]): Promise<string> {
  if (word.startsWith('last/') && kinds.includes('gate'))
    return `${await idOf(context, 'last', ['run'])}${word.slice('last'.length)}`;
  if (!isPosition(word)) return word;
  const id = word === 'last' ? newest(context, kinds) : await entryOf(context, word, kinds);
  if (id !== undefined) return id;
  const wanted = kinds.map((kind) => words[kind]).join(' or ');
  throw new MailroomError(
    'E_TARGET',
    `\`${word}\` was not found; expected ${wanted}`,
    word === 'last' ? 'nothing of this kind exists yet' : 'list what waits with `mailroom inbox`',
  );
}

/** Ids begin with the time at which they were made, but for those of runs in some languages. */
function newest(context: Context, kinds: readonly Kind[]): string | undefined {
  const project = context.place();
  const state = project.journal.state();
  const { messages, threads } = directoryOf(state, []);
  const [run] = kinds.includes('run') ? project.workflows.runs() : [];
  const ids = {
    message: () => messages.map(({ id }) => id),
    failed: () => failedIn(state, null),
    thread: () => threads.map(({ id }) => id),
    run: () => [],
    gate: () => [],
  };
  const id = kinds
    .flatMap((kind) => ids[kind]())
    .toSorted()
    .at(-1);
  return run !== undefined && (id === undefined || timeIn(id) < run.startedAt) ? run.run : id;
}

/** The time of a uuid v7, in milliseconds since 1970. */
function timeIn(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

async function entryOf(context: Context, word: string, kinds: readonly Kind[]): Promise<string | undefined> {
  const { readInbox } = await import('../mail/questions/inbox.ts');
  const project = context.place();
  const item = entryAt((await readInbox(project, null)).items, word);
  if (item === undefined) return undefined;
  const [message, gate] = item.run === null ? [item.id, null] : [null, item.id];
  const failed =
    item.thread === null ? null : (failedIn(project.journal.state(), item.thread).toSorted().at(-1) ?? null);
  const ids = { message, failed, gate, thread: item.thread, run: item.run };
  return kinds.map((kind) => ids[kind]).find((id) => id !== null) ?? undefined;
}

/** The messages of a thread, or of all (null), that have failed for some role. */
function failedIn(state: MailState, thread: ThreadId | null): MessageId[] {
  return [...state.mail.values()]
    .filter(({ message }) => thread === null || message.thread === thread)
    .filter(({ deliveries }) => [...deliveries.values()].some(({ at }) => at === 'failed'))
    .map(({ message }) => message.id);
}

/**
 * The run that a word means to a command that also takes mail; null: it names no run. Throws
 * `E_TARGET` with the list when it may be either.
 */
export function runOf(
  context: Context,
  word: string,
  kinds: readonly Exclude<Kind, 'gate' | 'failed'>[],
): StoredRun | null {
  const project = context.place();
  const { workflows } = project;
  const run = workflows.find(word);
  if (run === null || run.run === word) return run;
  const mail = directoryOf(project.journal.state(), []);
  namedIn(word, { ...mail, runs: workflows.runs().map(aboutRun) }, kinds);
  return run;
}
