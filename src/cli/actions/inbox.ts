import { endOfId } from '../../kernel/ids.ts';
import type { Inbox, WaitingItem } from '../../mail/questions/inbox.ts';
import { commandsFrom } from '../called.ts';
import type { Context } from '../context.ts';
import { ahead, clock, line, since } from '../format.ts';
import { printView } from '../output.ts';

interface InboxOptions {
  readonly as?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export async function inbox(context: Context, options: InboxOptions): Promise<number> {
  const { inboxDocument, readInbox } = await import('../../mail/questions/inbox.ts');
  const project = context.project();
  return printView(context.terminal, project, options, async () => {
    const waiting = await readInbox(project, options.as ?? null);
    return { document: inboxDocument(waiting), lines: () => inboxLines(context, waiting) };
  });
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
    `    ${colours.dim(timing(item, now))}`,
    ...(item.kind === 'notice' ? [] : fieldLines(item)),
    ...[...lookAt(item), item.command]
      .flatMap((command) => commandsFrom(context, command))
      .map((command) => `    ${colours.cyan(command)}`),
  ]);
}

/** What a person looks at before an approval, which the list shows only in part. */
function lookAt({ id, type, question }: WaitingItem): string[] {
  if (question !== null) return [`mailroom show ${endOfId(question)}`];
  return type === 'landing' ? [`mailroom show ${id} --diff`] : [];
}

function title({ kind, from, type, to, subject }: WaitingItem): string {
  const whom = to.length === 0 ? 'anybody' : to.join(', ');
  const what = kind === 'approval' ? `${from} asks ${whom} for approval` : `${type} from ${from} to ${whom}`;
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
