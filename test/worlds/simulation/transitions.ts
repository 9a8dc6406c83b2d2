import { readFileSync } from 'node:fs';
import { apply } from '../../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { emptyState, type MailState } from '../../../src/mail/machine/state.ts';

/** The tables of docs/states.md, by what they are about. */
const sections = ['Turn phases', 'Threads', 'Copies of a message', 'Asks'] as const;
type Section = (typeof sections)[number];

/** How something stands: a name as on the page, and what changes whenever anything about it does. */
interface Standing {
  readonly name: string;
  readonly mark: unknown;
}

/** Where everything stands, by what it is. */
function standings(state: MailState): Record<Section, Map<string, Standing>> {
  const turns = [...state.turns].map(([id, { phase }]) => [id, { name: phase.is, mark: phase }] as const);
  const threads = [...state.threads].map(
    ([id, thread]) => [id, { name: thread.state, mark: thread.state }] as const,
  );
  const copies = new Map<string, Standing>();
  const asks = new Map<string, Standing>();
  for (const key of state.unread.keys()) copies.set(key, { name: 'unread', mark: 'unread' });
  for (const [id, { deliveries, request }] of state.mail) {
    for (const [role, { at }] of deliveries) copies.set(`${id} ${role}`, { name: at, mark: at });
    for (const [role, ask] of request?.asks ?? [])
      asks.set(`${id} ${role}`, { name: ask.is, mark: ask.is === 'open' ? ask : ask.is });
  }
  return {
    'Turn phases': new Map(turns),
    Threads: new Map(threads),
    'Copies of a message': copies,
    Asks: asks,
  };
}

/** One line of the list: `Threads: open → quiet (quieted)`. */
function line(section: Section, from: string, to: string, event: string): string {
  return `${section}: ${from} → ${to} (${event})`;
}

/** The transitions that a history went through. */
export function transitionsOf(events: readonly MailEvent[]): Set<string> {
  const seen = new Set<string>();
  let state = emptyState();
  let before = standings(state);
  for (const event of events) {
    state = apply(state, event);
    const after = standings(state);
    for (const section of sections) {
      for (const [key, { name, mark }] of after[section]) {
        const old = before[section].get(key);
        if (old?.mark !== mark) seen.add(line(section, old?.name ?? '–', name, event.type));
      }
      // Threads, with their mail, are forgotten some time after their end; only turns end by being gone.
      if (section === 'Turn phases')
        for (const [key, { name }] of before[section])
          if (!after[section].has(key)) seen.add(line(section, name, '–', event.type));
    }
    const gone = event.type === 'read' ? `${event.message} ${event.recipient}` : null;
    if (gone !== null && before['Copies of a message'].get(gone)?.name === 'unread')
      seen.add(line('Copies of a message', 'unread', 'read', event.type));
    before = after;
  }
  return seen;
}

/* ---------------------------------------------------------------- the page */

const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');

/** The text under a heading, up to the next. */
function under(heading: string): string {
  const start = page.indexOf(`\n## ${heading}\n`);
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end < 0 ? undefined : end);
}

function rowsOf(section: string): string[][] {
  return under(section)
    .split('\n')
    .filter((row) => row.startsWith('| `') || row.startsWith('| –'))
    .map((row) => row.split('|').slice(1, -1));
}

function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([\w-]+)`|–/g)].map(([none, name]) => name ?? none);
}

/** Every transition that docs/states.md tells of. */
export function documented(): Set<string> {
  const all = new Set<string>();
  for (const section of sections)
    for (const [from, event, to] of rowsOf(section))
      for (const one of namesIn(from))
        for (const by of namesIn(event))
          for (const next of namesIn(to)) all.add(line(section, one, next, by));
  return all;
}

/** Transitions that the simulation cannot reach, as the page lists them, each with its reason. */
export function unreachable(): Map<string, string> {
  const rows = rowsOf('Out of the reach of the simulation');
  return new Map(
    rows.map(([transition = '', reason = '']) => [transition.trim().replaceAll('`', ''), reason.trim()]),
  );
}
