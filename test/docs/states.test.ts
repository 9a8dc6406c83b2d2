import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/contributing/states.md');
const state = read('src/mail/machine/state.ts');
const landing = read('src/mail/machine/landing.ts');
const event = read('src/mail/machine/event.ts');

/** The literals of a tag in a piece of source: `is: 'active'` gives `active`. */
function tags(source: string, tag: string): string[] {
  return [...source.matchAll(new RegExp(`readonly ${tag}: '([\\w-]+)'`, 'g'))].map(([, name]) => name ?? '');
}

function between(source: string, start: string, end: string): string {
  const from = source.indexOf(start);
  return source.slice(from, source.indexOf(end, from + start.length));
}

/** The names in code marks of one section's table, in these columns. */
function named(section: string, columns: readonly number[]): Set<string> {
  const rows = between(`${page}\n## `, `## ${section}\n`, '\n## ')
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| ---') && !line.startsWith('| from'));
  const cells = rows.flatMap((row) => columns.map((column) => row.split('|')[column] ?? ''));
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? '')));
}

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted((a, b) => a.localeCompare(b));

describe('docs/contributing/states.md', () => {
  it.each([
    ['Turn phases', tags(between(state, 'export type Phase', 'export interface Turn'), 'is')],
    ['Landings', tags(between(landing, 'type LandingPhase', 'export function'), 'is')],
    ['Copies of a message', tags(between(state, 'export type Delivery', 'export type AskState'), 'at')],
    ['Asks', tags(between(state, 'export type AskState', 'export interface Mail'), 'is')],
    [
      'Threads',
      [...between(state, 'export type ThreadState', ';').matchAll(/'(\w+)'/g)].map(([, name]) => name ?? ''),
    ],
  ])('names the states of the code: %s', (section, states) => {
    expect(states.length).toBeGreaterThan(2);
    expect(sorted(named(section, [1, 3]))).toEqual(sorted(states));
  });

  it('names every event, and no other', () => {
    const events = tags(between(event, 'export type Happening', '/** What `decide` asks'), 'type');
    const inTables = ['Turn phases', 'Landings', 'Threads', 'Copies of a message', 'Asks'].flatMap(
      (section) => [...named(section, [2])],
    );
    const last = [
      ...between(`${page}\n## `, '## Events that move no mail', '\n## ').matchAll(/`([\w-]+)` (?=\(|and)/g),
    ];
    expect(sorted([...inTables, ...last.map(([, name]) => name ?? '')])).toEqual(sorted(events));
  });

  const run = {
    state: read('src/workflow/machine/state.ts'),
    event: read('src/workflow/machine/event.ts'),
    status: read('src/workflow/machine/status.ts'),
  };

  it('names the phases of a step, and the statuses of a run', () => {
    const phases = tags(between(run.state, 'export type Phase', 'export interface Open'), 'is');
    expect(phases.length).toBeGreaterThan(10);
    expect(sorted(named('Phases of a step', [1, 3]))).toEqual(sorted(phases));
    const statuses = between(run.status, 'export type RunStatus', ';').matchAll(/'(\w+)'/g);
    expect(sorted(named('Runs', [1, 3]))).toEqual(sorted([...statuses].map(([, name]) => name ?? '')));
  });

  it('names every event of a run, and no other', () => {
    const facts = between(run.event, 'export type Fact', 'export interface ConvergenceState');
    const happenings = between(run.event, 'export type Happening', 'export type RunEvent');
    const inTables = ['Phases of a step', 'Runs'].flatMap((section) => [...named(section, [2])]);
    const last = between(`${page}\n## `, '## Events that settle no step', '\n## ').matchAll(
      /`([\w-]+)` (?=\()/g,
    );
    expect(sorted([...inTables, ...[...last].map(([, name]) => name ?? '')])).toEqual(
      sorted(tags(`${facts}${happenings}`, 'type')),
    );
  });
});
