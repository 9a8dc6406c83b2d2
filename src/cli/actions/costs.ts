import { parseDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { dayOf } from '../../mail/machine/money.ts';
import { emptyState } from '../../mail/machine/state.ts';
import { costsOf, type CostKind, type CostsDocument, type CostsSum } from '../../operations/costs.ts';
import type { Context } from '../context.ts';
import { line, short, table } from '../format.ts';
import { json } from '../output.ts';

export interface CostsOptions {
  readonly by: CostKind;
  readonly since?: string;
  readonly json?: boolean;
}

export function costs(context: Context, { by, since, json: asJson }: CostsOptions): Promise<number> {
  const { terminal } = context;
  const project = context.project();
  const from = since === undefined ? null : dayIn(since, terminal.now());
  const { workflows } = project;
  const runs = workflows.runs().map(({ run }) => workflows.run(run).state());
  const document = costsOf(project.state() ?? emptyState(), runs, by, from);
  terminal.write(asJson === true ? json(document) : `${costLines(document).join('\n')}\n`);
  return Promise.resolve(0);
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
  const shown = rows.map(({ name, ...sum }) => cells(nameShown(by, name), sum));
  const lines = table(
    [by.toUpperCase(), 'LAUNCHES', 'TOKENS', 'DOLLARS', 'UNPRICED'],
    [...shown, cells('total', total)],
  );
  return total.cost.unpriced === 0 ? lines : [...lines, 'unpriced: price unknown; charged what was reserved'];
}

function cells(name: string, { launches, cost }: CostsSum): string[] {
  return [name, String(launches), String(cost.tokens), `$${cost.usd.toFixed(4)}`, String(cost.unpriced)];
}

/** The label of a row without a name. */
const nameless: Readonly<Record<CostKind, string>> = {
  role: '(steps of agents)',
  thread: '(runs, and older threads)',
  run: '(mail)',
  step: '(mail)',
  provider: '(none)',
  day: '(none)',
};

function nameShown(by: CostKind, name: string | null): string {
  if (name === null) return nameless[by];
  return by === 'thread' || by === 'run' ? short(name) : line(name);
}
