import type { Bill, CostKind } from '../../kernel/cost.ts';
import { addCost, noCost } from '../../kernel/money.ts';
import type { MailState } from '../machine/state.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { CostsDocument, CostsSum, CostsRow } from '../../documents/mail.ts';

type Billed = Pick<RunState, 'bills'>;

/** `workflows`: by their runs. */
export function costsOf(
  mail: MailState,
  runs: readonly Billed[],
  by: readonly CostKind[],
  since: string | null,
  workflows: ReadonlyMap<string, string> = new Map(),
): CostsDocument {
  const groups = new Map<string, CostsRow>();
  let total: CostsSum = { launches: 0, cost: noCost };
  for (const { bill, thread } of billsOf(mail, runs)) {
    if (since !== null && bill.day < since) continue;
    const key = Object.fromEntries(by.map((kind) => [kind, nameOf(bill, thread, kind, workflows)]));
    const id = JSON.stringify(Object.values(key));
    groups.set(id, { key, ...sum(groups.get(id), bill) });
    total = sum(total, bill);
  }
  const times = by.filter((kind) => kind === 'day' || kind === 'week');
  const rows = [...groups.values()].toSorted(
    (a, b) => byNames(times, a, b) || byCost(a, b) || byNames(by, a, b),
  );
  return { schema: 1, by, since, rows, total };
}

/** Each launch once: a role's launch for a step is in the mail, although the run also counts it. */
function* billsOf(
  { bills }: MailState,
  runs: readonly Billed[],
): Generator<{ readonly bill: Bill; readonly thread: ThreadId | null }> {
  for (const [thread, each] of bills)
    for (const bill of each.values()) yield { bill, thread: thread === '' ? null : thread };
  for (const run of runs) for (const bill of run.bills.values()) yield { bill, thread: null };
}

function nameOf(
  bill: Bill,
  thread: ThreadId | null,
  by: CostKind,
  workflows: ReadonlyMap<string, string>,
): string | null {
  if (by === 'thread') return thread;
  if (by === 'workflow') return workflows.get(bill.run ?? '') ?? null;
  return by === 'week' ? weekOf(bill.day) : bill[by];
}

const day = 86_400_000;

/** The ISO 8601 week of a day, `2026-W47`: from Monday, in the year of its Thursday. */
function weekOf(text: string): string {
  const at = Date.parse(text);
  const weekday = (new Date(at).getUTCDay() + 6) % 7;
  const thursday = new Date(at + (3 - weekday) * day);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * day)) + 1;
  return `${String(year)}-W${String(week).padStart(2, '0')}`;
}

function sum(before: CostsSum | undefined, { launches, cost }: Bill): CostsSum {
  if (before === undefined) return { launches, cost };
  return { launches: before.launches + launches, cost: addCost(before.cost, cost) };
}

/** Rows without a price are ordered by tokens. */
function byCost({ cost: a }: CostsRow, { cost: b }: CostsRow): number {
  return b.usd - a.usd || b.tokens - a.tokens;
}

function byNames(kinds: readonly CostKind[], a: CostsRow, b: CostsRow): number {
  const names = ({ key }: CostsRow) => kinds.map((kind) => key[kind] ?? '');
  const [left, right] = [names(a), names(b)];
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at === -1) return 0;
  return left[at]! < right[at]! ? -1 : 1;
}

/**
 * The rows as CSV (RFC 4180) with a header: a column for each group, then launches, tokens, dollars
 * and launches without a price.
 */
export function costsCsv({ by, rows }: CostsDocument): string {
  const lines = rows.map(({ key, launches, cost }) => [
    ...by.map((kind) => textCell(key[kind] ?? '')),
    ...[launches, cost.tokens, cost.usd, cost.unpriced].map(String),
  ]);
  return [[...by, 'launches', 'tokens', 'usd', 'unpriced'], ...lines]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
}

/** A spreadsheet would compute what begins like a formula: an apostrophe makes it text. */
function textCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
