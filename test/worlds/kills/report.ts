import { momentsOf } from './effects.ts';
import type { Matrix } from './matrix.ts';
import { containments, type ContainmentName } from './order.ts';
import type { Extent, Verdict } from './plan.ts';

/** What the page says of one kind of work. */
export interface Played {
  /** When and how it was played; the last two cells of its row. */
  readonly when: string;
  readonly crashes: string;
  /** By place: what was found there. A place that is missing was added since. */
  readonly cells: ReadonlyMap<string, string>;
}

const extents: Readonly<Record<Extent, string>> = {
  all: 'every moment in every containment',
  turns: 'every moment',
  quick: 'one moment of each place',
};

/** What was found of the kinds that were played, on this day (`2026-01-31`). */
export function playedKinds(
  { effects }: Pick<Matrix, 'effects'>,
  all: readonly Verdict[],
  extent: Extent,
  day: string,
): Map<string, Played> {
  const found = new Map<string, Played>();
  const reached = all.filter(({ unreached }) => !unreached);
  for (const { name } of new Set(all.map(({ crash }) => crash.kind))) {
    const verdicts = reached.filter(({ crash }) => crash.kind.name === name);
    const cells = Object.keys(effects).map((place) => {
      const here = verdicts.filter(({ crash }) => crash.kill.name === place);
      const held = here.every(({ problems }) => problems.length === 0);
      return [place, here.length === 0 ? '' : held ? '✓' : '✗'] as const;
    });
    found.set(name, {
      when: `${day}, ${extents[extent]}`,
      crashes: counted(verdicts),
      cells: new Map(cells),
    });
  }
  return found;
}

/** What a page that `render` wrote says of each kind of work. */
export function readPage(text: string): Map<string, Played> {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const places = rows.filter(([place = '']) => place.startsWith('`'));
  const kinds = rows.filter(([number = '']) => /^\d+$/.test(number));
  return new Map(
    kinds.map(([number, name = '', , when = '', crashes = '']) => {
      const cells = places.map(
        (row) => [(row[0] ?? '').slice(1, -1), row[2 + Number(number)] ?? ''] as const,
      );
      return [name, { when, crashes, cells: new Map(cells.filter(([, cell]) => cell !== '·')) }];
    }),
  );
}

/** The page for people; the same text for the same results. */
export function render(
  { effects, kinds, page }: Pick<Matrix, 'effects' | 'kinds' | 'page'>,
  played: ReadonlyMap<string, Played>,
): string {
  const columns = kinds.map((kind, index) => ({
    ...kind,
    short: String(index + 1),
    played: played.get(kind.name) ?? { when: 'not yet', crashes: '', cells: new Map<string, string>() },
  }));
  return [
    page.head,
    '## Kinds of work\n',
    table(
      ['', 'kind of work', 'what is under way', 'played', 'crashes'],
      columns.map(({ short, name, what, played: { when, crashes } }) => [short, name, what, when, crashes]),
    ),
    '\n## Places\n',
    table(
      ['place', 'what is done there', 'middle', ...columns.map(({ short }) => short)],
      Object.entries(effects)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, effect]) => [
          `\`${name}\``,
          effect.what,
          momentsOf(effect).length === 3 ? String(effect.middle) : '',
          ...columns.map(({ played: { cells } }) => cells.get(name) ?? '·'),
        ]),
    ),
    '',
  ].join('\n');
}

const places: Readonly<Record<ContainmentName, string>> = {
  namespace: 'in a namespace',
  group: 'in a group',
  bubblewrap: 'in bubblewrap',
};

/** How many crashes, and in what containment. */
function counted(verdicts: readonly Verdict[]): string {
  const each = containments.flatMap((name) => {
    const count = verdicts.filter(({ crash }) => crash.containment === name).length;
    return count === 0 ? [] : [`${String(count)} ${places[name]}`];
  });
  return `${String(verdicts.length)}: ${each.join(', ')}`;
}

/** A table whose columns line up, as the formatter would have it. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}
