import type { CostKind } from '../../kernel/cost.ts';
import { costsCsv } from '../../mail/questions/costs.ts';
import { partCostsCsv, type Part, type PartCosts } from '../../mail/questions/part-costs.ts';
import { readCosts } from '../../mail/questions/read-costs.ts';
import type { Context } from '../context.ts';
import { line, short, table } from '../format.ts';
import { json } from '../output.ts';
import type { CostsDocument, CostsSum } from '../../documents/mail.ts';

interface CostsOptions {
  readonly by: string;
  readonly since?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

export async function costs(
  context: Context,
  { by, since, csv, json: asJson }: CostsOptions,
): Promise<number> {
  const { terminal } = context;
  if (by === 'part') {
    const { readPartCosts } = await import('../../mail/questions/read-part-costs.ts');
    const found = await readPartCosts(context.project(), since ?? null, terminal.now());
    if (asJson === true) terminal.write(json(found));
    else terminal.write(csv === true ? partCostsCsv(found) : `${partLines(found).join('\n')}\n`);
    return 0;
  }
  const document = readCosts(context.project(), { by, since: since ?? null }, terminal.now());
  if (asJson === true) terminal.write(json(document));
  else terminal.write(csv === true ? costsCsv(document) : `${costLines(document).join('\n')}\n`);
  return 0;
}

function costLines(document: CostsDocument): string[] {
  const { by, since, rows, total } = document;
  if (rows.length === 0) return [nothingPaid(since)];
  const shown = rows.map(({ key, ...sum }) =>
    cells(
      by.map((kind) => nameShown(kind, key[kind] ?? null)),
      sum,
    ),
  );
  const totals = cells(['total', ...by.slice(1).map(() => '')], total);
  const lines = table(
    [...by.map((kind) => kind.toUpperCase()), 'LAUNCHES', 'TOKENS', 'DOLLARS', 'NOT REPORTED'],
    [...shown, totals],
  );
  return total.cost.unpriced === 0
    ? lines
    : [
        ...lines,
        'not reported: launches that count as what was reserved, or as what they reported by their end',
      ];
}

function cells(names: readonly string[], { launches, cost }: CostsSum): string[] {
  return [...names, String(launches), String(cost.tokens), `$${cost.usd.toFixed(4)}`, String(cost.unpriced)];
}

/** The label of a row without a name. */
const nameless: Readonly<Record<CostKind, string>> = {
  role: '(steps of agents)',
  thread: '(runs, and older threads)',
  workflow: '(mail)',
  run: '(mail)',
  step: '(mail)',
  provider: '(none)',
  model: '(not reported)',
  host: '(the controller)',
  day: '(none)',
  week: '(none)',
};

function nameShown(by: CostKind, name: string | null): string {
  if (name === null) return nameless[by];
  return by === 'thread' || by === 'run' ? short(name) : line(name);
}

function nothingPaid(since: string | null): string {
  return since === null ? 'nothing was spent yet' : `nothing was spent since ${since}`;
}

const partNames: Readonly<Record<Part, string>> = {
  system: 'system prompt and tools',
  role: 'role text',
  mail: 'mail and prompts of steps',
  files: 'what agents read and did',
  answers: 'answers',
  unknown: 'unknown',
};

function partLines({ rows, since, total }: PartCosts): string[] {
  if (total.launches === 0) return [nothingPaid(since)];
  const lines = rows.map(({ part, tokens, share, estimated }) => [
    partNames[part],
    `${estimated && tokens > 0 ? 'about ' : ''}${String(tokens)}`,
    `${(100 * share).toFixed(1)} %`,
  ]);
  return [
    ...table(['PART', 'TOKENS', 'SHARE'], [...lines, ['total', String(total.cost.tokens), '']]),
    'about: estimated, four bytes of a prompt count as one token',
    `Dollars are known only of all parts together: $${total.cost.usd.toFixed(4)}`,
  ];
}
