import { parseDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { dayOf } from '../../kernel/money.ts';
import { emptyState } from '../../mail/machine/state.ts';
import {
  costsCsv,
  costsOf,
  type CostKind,
  type CostsDocument,
  type CostsSum,
} from '../../operations/costs.ts';
import type { Context } from '../context.ts';
import { line, short, table } from '../format.ts';
import { json } from '../output.ts';

export interface CostsOptions {
  readonly by: string;
  readonly since?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

export function costs(context: Context, { by, since, csv, json: asJson }: CostsOptions): Promise<number> {
  const { terminal } = context;
  const project = context.project();
  const kinds = kindsIn(by);
  const from = since === undefined ? null : dayIn(since, terminal.now());
  const { workflows } = project;
  const runs = workflows.runs().map(({ run }) => workflows.run(run).state());
  const document = costsOf(project.state() ?? emptyState(), runs, kinds, from);
  if (asJson === true) terminal.write(json(document));
  else terminal.write(csv === true ? costsCsv(document) : `${costLines(document).join('\n')}\n`);
  return Promise.resolve(0);
}

const allKinds: readonly CostKind[] = ['role', 'thread', 'run', 'step', 'provider', 'model', 'day', 'week'];

/** `week,model`: the groups, each once. */
function kindsIn(text: string): CostKind[] {
  const words = text.split(',').map((word) => word.trim());
  const found = words.flatMap((word) => allKinds.find((kind) => kind === word) ?? []);
  if (found.length === words.length && new Set(found).size === found.length) return found;
  const wrong = words.find((word) => !allKinds.some((kind) => kind === word)) ?? text;
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is not a value of \`--by <kinds>\``,
    didYouMean(wrong, allKinds) ?? `one or several of ${allKinds.join(', ')}, each once, separated by commas`,
  );
}

/** The UTC day of a date on the command line. */
function dayIn(text: string, now: number): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  const length = parseDuration(text);
  if (length !== null) return dayOf(now - length);
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is neither a day nor a duration`,
    'for example --since 2026-11-21, or --since 7d',
  );
}

function costLines(document: CostsDocument): string[] {
  const { by, since, rows, total } = document;
  if (rows.length === 0) return [since === null ? 'nothing was paid yet' : `nothing was paid since ${since}`];
  const shown = rows.map(({ key, ...sum }) =>
    cells(
      by.map((kind) => nameShown(kind, key[kind] ?? null)),
      sum,
    ),
  );
  const totals = cells(['total', ...by.slice(1).map(() => '')], total);
  const lines = table(
    [...by.map((kind) => kind.toUpperCase()), 'LAUNCHES', 'TOKENS', 'DOLLARS', 'UNPRICED'],
    [...shown, totals],
  );
  return total.cost.unpriced === 0 ? lines : [...lines, 'unpriced: price unknown; charged what was reserved'];
}

function cells(names: readonly string[], { launches, cost }: CostsSum): string[] {
  return [...names, String(launches), String(cost.tokens), `$${cost.usd.toFixed(4)}`, String(cost.unpriced)];
}

/** The label of a row without a name. */
const nameless: Readonly<Record<CostKind, string>> = {
  role: '(steps of agents)',
  thread: '(runs, and older threads)',
  run: '(mail)',
  step: '(mail)',
  provider: '(none)',
  model: '(not reported)',
  day: '(none)',
  week: '(none)',
};

function nameShown(by: CostKind, name: string | null): string {
  if (name === null) return nameless[by];
  return by === 'thread' || by === 'run' ? short(name) : line(name);
}
