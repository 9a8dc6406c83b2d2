import { counted } from '../kernel/enumerate.ts';
import { shortCommit } from '../kernel/ids.ts';
import type { Thread } from '../mail/machine/state.ts';
import { cut } from './columns.ts';
import { line, moment, money, printable, short } from './format.ts';
import type { Colours } from './terminal.ts';
import { asTree } from '../kernel/thread-tree.ts';
import type { MessageDocument } from '../documents/mail.ts';

interface Style {
  readonly full: boolean;
  readonly colours: Colours;
}

type KnownThread = Pick<Thread, 'parent' | 'children' | 'subject' | 'state' | 'turns' | 'cost'>;

/** The number of lines shown of an abbreviated message. */
const firstLines = 3;
const widest = 100;

/**
 * The conversation as text for people: each thread under its subject, each message with its first
 * lines.
 */
export function trailLines(
  messages: readonly MessageDocument[],
  threads: ReadonlyMap<string, KnownThread>,
  look: Style,
): string[] {
  if (messages.length === 0) return ['nothing was said yet'];
  const byThread = new Map<string, MessageDocument[]>();
  for (const message of messages) {
    const known = byThread.get(message.thread);
    if (known) known.push(message);
    else byThread.set(message.thread, [message]);
  }
  const all = [...byThread].map(([id, said]) => ({ id, said, parent: threads.get(id)?.parent ?? null }));
  return asTree(all).flatMap(({ thread: { id, said } }, index) => [
    ...(index === 0 ? [] : ['']),
    headLine(id, said, threads.get(id), look),
    ...said.flatMap((message) => messageLines(message, look)),
    ...childLines(threads.get(id)?.children ?? [], threads, look),
  ]);
}

/** A line for each sub-thread. */
function childLines(
  children: readonly string[],
  threads: ReadonlyMap<string, KnownThread>,
  { colours }: Style,
): string[] {
  const lines = children.flatMap((id) => {
    const child = threads.get(id);
    const facts =
      child && [child.state, counted(child.turns, 'turn'), money(child.cost)].filter((fact) => fact !== '');
    return facts
      ? [`  └ ${line(child.subject)}  ${colours.dim(`sub-thread ${short(id)}: ${facts.join(', ')}`)}`]
      : [];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

function headLine(
  id: string,
  said: readonly MessageDocument[],
  thread: KnownThread | undefined,
  { colours }: Style,
): string {
  const subject = thread?.subject ?? said[0]?.subject ?? '';
  const facts = [
    thread?.state ?? 'over',
    counted(said.length, 'message'),
    ...(thread ? [counted(thread.turns, 'turn'), money(thread.cost)] : []),
  ].filter((fact) => fact !== '');
  const own =
    thread?.parent == null ? `thread ${short(id)}` : `sub-thread ${short(id)} of ${short(thread.parent)}`;
  return `${colours.bold(line(subject))}  ${colours.dim(`${own}: ${facts.join(', ')}`)}`;
}

function messageLines(message: MessageDocument, { full, colours }: Style): string[] {
  const { id, type, from, to, subject, created, turn, body, fields, attachments, landed, host } = message;
  const by = turn === null ? '' : ` ${turn}${host === null ? '' : ` on ${line(host)}`}`;
  const head = `  ${colours.cyan(line(`${from} → ${to.join(', ')}`))}  ${line(type)}  ${colours.dim(`${moment(created)}${by} ${short(id)}`)}`;
  const said = [`    ${line(subject)}`];
  const values = Object.entries(fields).map(([name, value]) => line(`${name}: ${asText(value)}`));
  if (values.length > 0) said.push(`    ${values.join(', ')}`);
  if (attachments.length > 0) said.push(`    attached: ${attachments.map(line).join(', ')}`);
  if (landed !== null) said.push(`    landed on ${line(landed.branch)} as ${shortCommit(landed.commit)}`);
  return ['', head, ...said, ...bodyLines(body, subject, full).map((text) => colours.dim(`    ${text}`))];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text, without a first line that repeats the subject. */
function bodyLines(body: string, subject: string, full: boolean): string[] {
  const lines = printable(body).trimEnd().split('\n');
  if (full) return lines;
  const plain = (text: string) => text.replace(/^#+\s*/, '').trim();
  const written = lines.filter((text) => text.trim() !== '').map((text) => text.trimEnd());
  const rest = plain(written[0] ?? '') === subject ? written.slice(1) : written;
  const shown = rest.slice(0, firstLines).map((text) => cut(text, widest));
  const more = rest.length - shown.length;
  return more > 0 ? [...shown, `… ${counted(more, 'more line')}`] : shown;
}
