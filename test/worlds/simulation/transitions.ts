import { readFileSync } from 'node:fs';

/** How something is: a name as on the page, and what changes whenever anything about it does. */
export interface Standing {
  readonly name: string;
  readonly mark: unknown;
}

/** How everything is, by the table of docs/contributing/states.md that tells of it, and by what it is. */
export type Standings<Section extends string> = Readonly<Record<Section, ReadonlyMap<string, Standing>>>;

/** A machine of which docs/contributing/states.md tells. */
export interface Machine<Section extends string, State, Event extends { readonly type: string }> {
  readonly sections: readonly Section[];
  /** Of which of them things end by being gone; what the rest tell of may be forgotten. */
  readonly ending: readonly Section[];
  start(): State;
  apply(state: State, event: Event): State;
  /** `event`: what has just happened, null at the start. `before`: how everything was. */
  standings(state: State, event: Event | null, before: Standings<Section> | null): Standings<Section>;
}

/** One line of the list: `Threads: open → quiet (quieted)`. */
function line(section: string, from: string, to: string, event: string): string {
  return `${section}: ${from} → ${to} (${event})`;
}

/** The transitions that a history went through. */
export function transitionsOf<Section extends string, State, Event extends { readonly type: string }>(
  machine: Machine<Section, State, Event>,
  events: readonly Event[],
): Set<string> {
  const seen = new Set<string>();
  let state = machine.start();
  let before = machine.standings(state, null, null);
  for (const event of events) {
    state = machine.apply(state, event);
    const after = machine.standings(state, event, before);
    for (const section of machine.sections) {
      for (const [key, { name, mark }] of after[section]) {
        const old = before[section].get(key);
        if (old?.mark !== mark) seen.add(line(section, old?.name ?? '–', name, event.type));
      }
      if (machine.ending.includes(section))
        for (const [key, { name }] of before[section])
          if (!after[section].has(key)) seen.add(line(section, name, '–', event.type));
    }
    before = after;
  }
  return seen;
}

/** What docs/contributing/states.md and the schedules do not agree on. */
export interface Coverage {
  readonly reached: number;
  readonly all: number;
  /** Told of, reachable, and not seen. */
  readonly missed: readonly string[];
  /** Seen, and not told of. */
  readonly untold: readonly string[];
  /** Seen although the page says that it cannot be. */
  readonly reachedAfterAll: readonly string[];
}

export function coverage(sections: readonly string[], transitions: Iterable<string>): Coverage {
  const told = documented(sections);
  const excused = unreachable();
  const seen = new Set(transitions);
  const wanted = [...told].filter((one) => !excused.has(one));
  return {
    reached: wanted.filter((one) => seen.has(one)).length,
    all: wanted.length,
    missed: wanted.filter((one) => !seen.has(one)),
    untold: [...seen].filter((one) => !told.has(one)),
    reachedAfterAll: [...seen].filter((one) => excused.has(one)),
  };
}

const page = readFileSync(new URL('../../../docs/contributing/states.md', import.meta.url), 'utf8');

/** The rows of the table under a heading. */
function rowsOf(heading: string): string[][] {
  const start = page.indexOf(`\n## ${heading}\n`);
  const end = page.indexOf('\n## ', start + 1);
  return page
    .slice(start, end < 0 ? undefined : end)
    .split('\n')
    .filter((row) => /^\| (`|–|any but )/.test(row))
    .map((row) => row.split('|').slice(1, -1));
}

function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([\w-]+)`|–/g)].map(([none, name]) => name ?? none);
}

/** Every transition that these tables tell of. */
function documented(sections: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const section of sections) {
    const rows = rowsOf(section);
    const every = new Set(rows.flatMap(([from, , to]) => [...namesIn(from), ...namesIn(to)]));
    for (const [from = '', event, to] of rows) {
      const names = namesIn(from);
      const froms = from.includes('any but') ? [...every].filter((name) => !names.includes(name)) : names;
      for (const one of froms)
        for (const by of namesIn(event))
          for (const next of namesIn(to)) all.add(line(section, one, next, by));
    }
  }
  return all;
}

/** Transitions that the simulation cannot reach, as the page lists them. */
function unreachable(): Set<string> {
  const rows = rowsOf('Transitions that the simulation does not reach');
  return new Set(rows.map(([transition = '']) => transition.trim().replaceAll('`', '')));
}
