import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import type { Inbox, WaitingItem } from '../../mail/questions/inbox.ts';
import { commandsFrom } from '../called.ts';
import type { Context } from '../context.ts';
import { ahead, clock, line, since } from '../format.ts';
import { answer, printView } from '../output.ts';

interface InboxOptions {
  readonly as?: string;
  /** True: every notice. */
  readonly done?: string | true;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export async function inbox(context: Context, options: InboxOptions): Promise<number> {
  const { inboxDocument, readInbox } = await import('../../mail/questions/inbox.ts');
  const project = context.project();
  if (options.done !== undefined) return done(context, options.done, options);
  return printView(context, project, options, async () => {
    const waiting = await readInbox(project, options.as ?? null);
    return { document: inboxDocument(waiting), lines: () => inboxLines(context, waiting) };
  });
}

async function done(context: Context, chosen: string | true, options: InboxOptions): Promise<number> {
  context.outsideTurn('inbox --done');
  if (options.watch === true)
    throw new MailroomError('E_USAGE', '`--done` and `--watch` do not go together', 'leave one of them out');
  const { putAway } = await import('../../mail/questions/done.ts');
  const words = chosen === true ? null : chosen.split(',').map((word) => word.trim());
  const document = await putAway(context.project(), options.as ?? null, words);
  const { done: now, before } = document;
  const texts = [
    ...(now.length > 0 ? [`${counted(now.length, 'notice')} put away, in processed/.`] : []),
    ...(before.length > 0 ? [`Put away before: ${before.map(endOfId).join(', ')}.`] : []),
  ];
  const lines = texts.length === 0 ? ['There is no notice.'] : texts;
  return answer(context.terminal, options, document, () => lines);
}

/**
 * The list as text: each item with its number, its subject, its deadline, and the command that
 * answers it.
 */
function inboxLines(context: Context, { as, items }: Inbox): string[] {
  const { terminal } = context;
  const { colours } = terminal;
  const now = terminal.now();
  if (items.length === 0) return [`Nothing waits for ${as ?? 'you'}.`];
  return items.flatMap((item, index) => [
    ...(index === 0 ? [] : ['']),
    `${colours.bold(`@${String(index + 1)}`)}  ${title(item)}`,
    ...whose(item).map((text) => `    ${colours.dim(line(text))}`),
    `    ${colours.dim(timing(item, now))}`,
    ...(item.kind === 'notice' ? [] : fieldLines(item)),
    ...[...lookAt(item), item.command]
      .flatMap((command) => commandsFrom(context, command))
      .map((command) => `    ${colours.cyan(command)}`),
  ]);
}

/** What a person looks at before an approval, which the list shows only in part. */
function lookAt({ id, kind, type, question }: WaitingItem): string[] {
  // It names the folder in which a person resolves it.
  if (kind === 'conflict') return [`mailroom show ${endOfId(id)}`];
  if (question !== null) return [`mailroom show ${endOfId(question)}`];
  return type === 'landing' ? [`mailroom show ${id} --diff`] : [];
}

/** The task that it is about, and what has happened to it. */
function whose({ thread_subject: task, subject, escalated_from: first }: WaitingItem): string[] {
  return [
    ...(task === null || subject.includes(task) ? [] : [`about: ${task}`]),
    ...(first === null ? [] : [`escalated: ${first} did not answer in time`]),
  ];
}

function title({ kind, from, type, to, subject, turn }: WaitingItem): string {
  if (kind === 'blocked') return line(subject);
  if (kind === 'conflict') return line(`${subject} (turn ${turn ?? ''} of ${from})`);
  const approval = to.length === 0 ? 'approval (anyone may approve)' : `approval by ${to.join(', ')}`;
  const what =
    kind === 'approval' ? `${from} waits for ${approval}` : `${type} from ${from} to ${to.join(', ')}`;
  return line(`${what}: ${subject}`);
}

function timing({ since: at, deadline, on_timeout: otherwise }: WaitingItem, now: number): string {
  const waited = at === null ? '' : `since ${clock(at, now)} (${since(at, now)})`;
  if (deadline === null) return waited;
  const left = Date.parse(deadline) > now ? `in ${ahead(deadline, now)}` : 'now';
  return `${waited}; until ${clock(deadline, now)} (${left}), then ${otherwise ?? ''}`;
}

function fieldLines({ fields }: WaitingItem): string[] {
  return Object.entries(fields).map(([name, { type, enum: values, required, ...field }]) => {
    const choices = values === null ? type : values.map((value) => JSON.stringify(value)).join(' | ');
    const usual = field.default === null ? ', optional' : `, default ${JSON.stringify(field.default)}`;
    const about = field.description === null ? '' : `: ${field.description}`;
    return line(`    --field ${name}=…  ${choices}${required ? '' : usual}${about}`);
  });
}
