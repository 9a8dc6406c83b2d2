import { momentsOf } from './effects.ts';
import type { Matrix } from './matrix.ts';
import { containments, type ContainmentName } from './order.ts';
import type { Extent, Verdict } from './plan.ts';

const extents: Readonly<Record<Extent, string>> = {
  all: 'Every moment of every place was played in every kind of containment that the machine has.',
  turns: 'Every moment of every place was played; the kinds of containment that the machine has took turns.',
  quick: 'One moment of every place was played (`--quick`); the kinds of containment took turns.',
};

const legend = '✓ all held, ✗ something did not, an empty cell: this kind of work does not come there.\n';

/** The page for people; the same text for the same results. */
export function render(
  { effects, kinds, page }: Pick<Matrix, 'effects' | 'kinds' | 'page'>,
  all: readonly Verdict[],
  extent: Extent,
): string {
  const verdicts = all.filter(({ unreached }) => !unreached);
  const cells = new Map<string, boolean>();
  for (const { crash, problems } of verdicts) {
    const key = `${crash.kind.name}/${crash.kill.name}`;
    cells.set(key, (cells.get(key) ?? true) && problems.length === 0);
  }
  const cell = (kind: string, name: string): string => {
    const held = cells.get(`${kind}/${name}`);
    return held === undefined ? '' : held ? '✓' : '✗';
  };
  const columns = kinds.map((kind, index) => ({ kind, short: String(index + 1) }));
  return [
    page.head,
    `${extents[extent]} ${played(verdicts)}\n\n${legend}`,
    '## Kinds of work\n',
    table(
      ['', 'kind of work', 'what is under way'],
      columns.map(({ kind, short }) => [short, kind.name, kind.what]),
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
          ...columns.map(({ kind }) => cell(kind.name, name)),
        ]),
    ),
    '',
  ].join('\n');
}

const places: Readonly<Record<ContainmentName, string>> = {
  namespace: 'in a namespace',
  group: 'in a group',
  bubblewrap: 'in a bubblewrap sandbox',
};

/** How many crashes, and in what containment. */
function played(verdicts: readonly Verdict[]): string {
  const each = containments.flatMap((name) => {
    const count = verdicts.filter(({ crash }) => crash.containment === name).length;
    return count === 0 ? [] : [`${String(count)} ${places[name]}`];
  });
  return `${String(verdicts.length)} crashes: ${each.join(', ')}.`;
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
