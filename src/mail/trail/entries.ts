import type { MailEvent } from '../machine/event.ts';
import type { Message } from '../format/message.ts';
import type { Projection, Turn } from '../machine/state.ts';
import { changesOf, failedPaths } from './changes.ts';
import { subjectOf, type FindMessage } from './subject.ts';
import { trailersOf } from './trailers.ts';
import type { TrailEntry } from '../../git/trail.ts';

/**
 * The commit for one recorded event: one for each turn that was committed and for each other event that moved mail; null
 * for all the rest. Pure. To be called when the event has been applied, with
 * - `n`: the event's number in the journal;
 * - `projectionsOf`: finds what came to lie somewhere else with this event; not asked where there is nothing to tell;
 * - `turn`: the turn that the event speaks of, as it was before (afterwards it is gone); null: none, or unknown;
 * - `mail`: finds a message by its id;
 * - `format`: a message as the text of its file.
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

/** A person takes a message out of the inbox by hand, so no folder has to be drawn and there is no projection of it. */
function readProjection(
  event: MailEvent,
  projections: readonly Projection[],
  mail: FindMessage,
): Projection[] {
  const message = event.type === 'read' && projections.length === 0 ? mail(event.message) : undefined;
  if (event.type !== 'read' || message === undefined) return [];
  return [{ kind: 'copy', message, role: event.recipient, delivery: { at: 'read' }, since: 0 }];
}

function unfailed(event: MailEvent): ReturnType<typeof failedPaths> {
  const retried = event.type === 'controlled' && event.command.verb === 'retry';
  return retried ? failedPaths(event.command.message, event.command.role) : [];
}
