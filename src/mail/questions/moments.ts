import { JournalReader } from '../../disk/journal-reader.ts';
import { counted } from '../../kernel/enumerate.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { iso } from '../../kernel/times.ts';
import type { MailEvent } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';
import { subjectOf } from '../trail/subject.ts';
import type { Project } from '../../project/project.ts';
import type { MomentsDocument } from '../../documents/mail.ts';

/** How many of the newest records have marks. */
const mostRecords = 10_000;
const mostMarks = 100;
/** The maximum length of what happened, in characters. */
const longest = 200;

/** A record of the journal. `at`: milliseconds since 1970. */
interface Seen {
  readonly n: number;
  readonly at: number;
  readonly failed: boolean;
}

const failures: ReadonlySet<MailEvent['type']> = new Set([
  'refused',
  'abandoned',
  'attempt-failed',
  'failed-back',
  'thread-failed',
  'conflicted',
  'landing-refused',
]);

/** What the journal records for its own sake: nothing that a person sees has changed. */
const silent: ReadonlySet<MailEvent['type']> = new Set(['projected', 'read', 'assigned', 'suspended']);

/** What a record says, in words of one line; `before`: the state that it changed. Null: nothing. */
export function happened(event: MailEvent, before: MailState): string | null {
  if (silent.has(event.type)) return null;
  const turn = 'turn' in event ? (before.turns.get(event.turn) ?? null) : null;
  const subject = subjectOf(event, turn, (id) => before.mail.get(id)?.message);
  return oneLine(subject ?? otherwise(event, turn?.role ?? 'a role'), longest);
}

/** Of what moves no mail. */
function otherwise(event: MailEvent, role: string): string {
  switch (event.type) {
    case 'started':
      return 'the controller started';
    case 'claimed':
      return `${event.role} took ${counted(event.messages.length, 'message')} from its inbox`;
    case 'launched':
      return `${role} began turn ${event.turn}, attempt ${String(event.attempt)}`;
    case 'returned':
      return `${role} ended its work in turn ${event.turn}`;
    case 'attempt-failed':
      return `${role}: turn ${event.turn} failed: ${event.reason.text}`;
    case 'corrected':
    case 'landing-refused':
      return `${role} has to correct turn ${event.turn}: ${event.problems[0] ?? ''}`;
    case 'parked':
      return `${event.provider} is rate limited`;
    case 'controlled':
      return `${event.by}: ${event.command.verb}${event.refusal === null ? '' : `, refused: ${event.refusal.text}`}`;
    default:
      return `${'turn' in event ? `${role}, turn ${event.turn}: ` : ''}${event.type.replaceAll('-', ' ')}`;
  }
}

interface Kept {
  readonly reader: JournalReader<MailEvent>;
  seen: Seen[];
}

/** What each project's journal held when it was read last: only what was added is read again. */
const keptOf = new WeakMap<Project, Kept>();

function seenIn(project: Project): readonly Seen[] {
  const kept = keptOf.get(project) ?? { reader: new JournalReader<MailEvent>(project.disk), seen: [] };
  keptOf.set(project, kept);
  const { reader } = kept;
  const added = reader.more();
  if (added === null) kept.seen = [];
  const records = added ?? reader.read(Math.max(0, project.journal.state().events - mostRecords)).records;
  for (const { n, event } of records)
    if (!silent.has(event.type)) kept.seen.push({ n, at: event.at, failed: failures.has(event.type) });
  return kept.seen;
}

/** When the mail of a project changed: marks for a line of its past, as few as differ there. */
export function momentsOf(project: Project): MomentsDocument {
  const seen = seenIn(project);
  const [first, last] = [seen[0]?.at ?? 0, seen.at(-1)?.at ?? 0];
  const marks = new Map<number, Seen>();
  for (const each of seen) {
    const place = Math.floor(((each.at - first) / Math.max(1, last - first)) * (mostMarks - 1));
    const known = marks.get(place);
    // A failure is not hidden by what came right after it.
    marks.set(place, known?.failed === true ? known : each);
  }
  return {
    schema: 1,
    records: project.journal.state().events,
    marks: [...marks.values()].map(({ n, at, failed }) => ({ record: n, time: iso(at), failed })),
  };
}
