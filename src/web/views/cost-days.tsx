import { oneLine } from '../../kernel/one-line.ts';
import { money } from '../../kernel/cost.ts';
import type { CostsDocument } from '../../documents/mail.ts';

const size = { width: 720, height: 120, gap: 3 };
/** How many colours there are. */
const colours = 6;
const dayLength = 24 * 60 * 60 * 1000;
/** Fewer days would not look like days. */
const fewestDays = 7;

interface Day {
  readonly day: string;
  /** By role, the costs of the day in the unit of the chart. */
  readonly parts: ReadonlyMap<string, number>;
}

/** At most so many days are labelled. */
const mostLabels = 5;

/** Costs grouped by day and role as bars; grouped so, the table of the view has the same. */
export function CostDays({ costs }: { readonly costs: CostsDocument }) {
  const { days, names } = rankedOf(daysOf(costs));
  const most = Math.max(...days.map(({ parts }) => sum(parts)));
  // Costs that are not known are no bars.
  if (!(most > 0)) return null;
  const wide = size.width / days.length;
  const each = Math.ceil(days.length / mostLabels);
  const words = `Costs of each day by role, from ${days[0]!.day} to ${days.at(-1)!.day}`;
  return (
    <figure class="panel days">
      <div class="axis-costs" aria-hidden="true">
        <span>{inWords(costs, most)}</span>
        <span>0</span>
      </div>
      <svg
        role="img"
        aria-label={words}
        viewBox={`0 0 ${String(size.width)} ${String(size.height)}`}
        preserveAspectRatio="none"
      >
        {days.map(({ day, parts }, index) => {
          let top = size.height;
          return names.map((name, at) => {
            const height = ((parts.get(name) ?? 0) / most) * size.height;
            top -= height;
            const place = { x: index * wide, y: top, width: Math.max(1, wide - size.gap), height };
            return (
              <rect key={`${day} ${name}`} class={`bar-${String(at)}`} {...place}>
                <title>{`${day}, ${oneLine(name, 40)}: ${inWords(costs, parts.get(name) ?? 0)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <div class="axis-days" aria-hidden="true">
        {days.map(({ day }, index) => (
          <span key={day}>{(days.length - 1 - index) % each === 0 && day.slice(5)}</span>
        ))}
      </div>
      <figcaption class="row">
        {names.map((name, at) => (
          <span key={name} class={`bar-key bar-${String(at)}`}>
            {oneLine(name, 40)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** The roles that cost most have colours of their own, the others share one. */
function rankedOf(days: readonly Day[]): {
  readonly days: readonly Day[];
  readonly names: readonly string[];
} {
  const totals = new Map<string, number>();
  for (const { parts } of days)
    for (const [role, cost] of parts) totals.set(role, (totals.get(role) ?? 0) + cost);
  const names = [...totals].toSorted((a, b) => b[1] - a[1]).map(([role]) => role);
  if (names.length <= colours) return { days, names };
  const own = names.slice(0, colours - 1);
  const others = `${String(names.length - own.length)} other roles`;
  return {
    names: [...own, others],
    days: days.map(({ day, parts }) => {
      const kept = new Map([...parts].filter(([role]) => own.includes(role)));
      return { day, parts: kept.set(others, sum(parts) - sum(kept)) };
    }),
  };
}

/** Every day from the first to the last one, and at least a week, also those without costs. */
function daysOf({ rows, total }: CostsDocument): Day[] {
  const known = new Map<string, Map<string, number>>();
  for (const { key, cost } of rows) {
    const { day } = key;
    if (day == null) continue;
    const parts = known.get(day) ?? new Map<string, number>();
    parts.set(key.role ?? 'no role', total.cost.usd > 0 ? cost.usd : cost.tokens);
    known.set(day, parts);
  }
  const [first, last] = [[...known.keys()][0], [...known.keys()].at(-1)].map((day) => Date.parse(day ?? ''));
  if (first === undefined || last === undefined || Number.isNaN(first)) return [];
  const length = Math.max(fewestDays, (last - first) / dayLength + 1);
  return Array.from({ length }, (_each, index) => {
    const day = new Date(last - (length - 1 - index) * dayLength).toISOString().slice(0, 10);
    return { day, parts: known.get(day) ?? new Map<string, number>() };
  });
}

function sum(parts: ReadonlyMap<string, number>): number {
  return [...parts.values()].reduce((all, each) => all + each, 0);
}

function inWords({ total }: CostsDocument, value: number): string {
  return total.cost.usd > 0 ? money({ usd: value, tokens: 0, unpriced: 0 }) : `${String(value)} tokens`;
}
