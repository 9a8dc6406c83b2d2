import { oneLine } from '../../kernel/one-line.ts';
import { money } from '../../kernel/cost.ts';
import type { CostsDocument } from '../../documents/mail.ts';

const size = { width: 720, height: 120, gap: 3 };
/** How many roles have a colour of their own; the others share the last one. */
const colours = 6;
const dayLength = 24 * 60 * 60 * 1000;
/** Fewer days would not look like days. */
const fewestDays = 7;

interface Day {
  readonly day: string;
  /** By role, the costs of the day in the unit of the chart. */
  readonly parts: ReadonlyMap<string, number>;
}

/** Costs grouped by day and role as bars; grouped so, the table of the view has the same. */
export function CostDays({ costs }: { readonly costs: CostsDocument }) {
  const days = daysOf(costs);
  const roles = [...new Set(days.flatMap(({ parts }) => [...parts.keys()]))];
  const most = Math.max(...days.map(({ parts }) => sum(parts)));
  // Costs that are not known are no bars.
  if (!(most > 0)) return null;
  const wide = size.width / days.length;
  const words = `Costs of each day by role, from ${days[0]!.day} to ${days.at(-1)!.day}`;
  return (
    <figure class="panel days">
      <svg role="img" aria-label={words} viewBox={`0 0 ${String(size.width)} ${String(size.height)}`}>
        {days.map(({ day, parts }, index) => {
          let top = size.height;
          return roles.map((role, at) => {
            const height = ((parts.get(role) ?? 0) / most) * size.height;
            top -= height;
            const place = { x: index * wide, y: top, width: Math.max(1, wide - size.gap), height };
            return (
              <rect key={`${day} ${role}`} class={`bar-${String(Math.min(at, colours - 1))}`} {...place}>
                <title>{`${day}, ${oneLine(role, 40)}: ${inWords(costs, parts.get(role) ?? 0)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <figcaption class="row">
        <span class="grow">{`${days[0]!.day} to ${days.at(-1)!.day}`}</span>
        {roles.map((role, at) => (
          <span key={role} class={`bar-key bar-${String(Math.min(at, colours - 1))}`}>
            {oneLine(role, 40)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
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
