import { apply } from '../../../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';
import { emptyState, type MailState } from '../../../../src/mail/machine/state.ts';
import type { Machine, Standing } from '../transitions.ts';

type Section = 'Turn phases' | 'Landings' | 'Threads' | 'Copies of a message' | 'Asks';

/** The machine of the mail, as docs/contributing/states.md tells of it. Threads, with their mail, are forgotten some time after their end. */
export const mailMachine: Machine<Section, MailState, MailEvent> = {
  sections: ['Turn phases', 'Landings', 'Threads', 'Copies of a message', 'Asks'],
  ending: ['Turn phases', 'Landings'],
  start: emptyState,
  apply,
  standings: (state, event, before) => {
    const turns = [...state.turns].map(([id, { phase, conflict }]) => {
      const mark = conflict?.waits === true ? conflict : phase;
      return [id, { name: phase.is, mark }] as const;
    });
    const landings = [...state.landings].map(
      ([id, landing]) => [id, { name: landing.phase.is, mark: landing }] as const,
    );
    const threads = [...state.threads].map(
      ([id, thread]) => [id, { name: thread.state, mark: thread.state }] as const,
    );
    const copies = new Map<string, Standing>();
    const asks = new Map<string, Standing>();
    const gone = event?.type === 'read' ? `${event.message} ${event.recipient}` : null;
    // Of a notice that was read nothing is left.
    if (gone !== null && before?.['Copies of a message'].get(gone)?.name === 'unread')
      copies.set(gone, { name: 'read', mark: 'read' });
    for (const key of state.unread.keys()) copies.set(key, { name: 'unread', mark: 'unread' });
    for (const [id, { deliveries, request }] of state.mail) {
      for (const [role, { at }] of deliveries) copies.set(`${id} ${role}`, { name: at, mark: at });
      for (const [role, ask] of request?.asks ?? [])
        asks.set(`${id} ${role}`, { name: ask.is, mark: ask.is === 'open' ? ask : ask.is });
    }
    return {
      'Turn phases': new Map(turns),
      Landings: new Map(landings),
      Threads: new Map(threads),
      'Copies of a message': copies,
      Asks: asks,
    };
  },
};
