import type { MailEvent } from '../machine/event.ts';
import type { Message } from '../format/message.ts';
import type { Projection, Turn } from '../machine/state.ts';
import { changesOf, failedPaths } from './changes.ts';
import { subjectOf, type FindMessage } from './subject.ts';
import { trailersOf } from './trailers.ts';
import type { TrailEntry } from '../../git/trail.ts';

/**
 * The commit for one recorded event: for each committed turn and each other event that moved mail;
 * null for all others. Pure. Call it after applying the event, with `n`: the event's number in the
 * journal; `projectionsOf`: finds the event's projections, called only when needed; `turn`: the
 * event's turn before the event (afterwards it is gone), null: none, or unknown; `mail`: finds a
 * message by its id; `format`: a message as the text of its file.
 */
export function trailEntry(
  n: number,
  event: MailEvent,
  projectionsOf: () => readonly Projection[],
  turn: Turn | null,
  mail: FindMessage,
  format: (message: Message) => string,
): TrailEntry | null {
  const subject = subjectOf(event, turn, mail);
  if (subject === null) return null;
  const projections = projectionsOf();
  const shown = [...projections, ...readProjection(event, projections, mail)];
  const changes = [...unfailed(event), ...changesOf(shown, format)];
  if (changes.length === 0 && (event.type !== 'committed' || turn === null)) return null;
  return { seq: n, at: event.at, subject, trailers: trailersOf(n, event, shown, turn, mail), changes };
}

/** A person removes a message from the inbox by hand, so the folders need no projection of it. */
function readProjection(
  event: MailEvent,
  projections: readonly Projection[],
  mail: FindMessage,
): Projection[] {
  const message = event.type === 'read' && projections.length === 0 ? mail(event.message) : undefined;
  if (event.type !== 'read' || message === undefined) return [];
  const place = { role: event.recipient, delivery: { at: 'read' }, leavesFailed: false } as const;
  return [{ kind: 'copy', message, ...place, since: 0 }];
}

function unfailed(event: MailEvent): ReturnType<typeof failedPaths> {
  const retried = event.type === 'controlled' && event.command.verb === 'retry';
  return retried ? failedPaths(event.command.message, event.command.role) : [];
}
