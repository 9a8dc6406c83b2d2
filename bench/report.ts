import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import process from 'node:process';

/** One measured line: what was seen, what it is compared with in the same run, and the budget. */
export interface Line {
  readonly what: string;
  readonly seen: string;
  /** Work of the same run that the machine's speed cancels out against. */
  readonly ratio: string;
  readonly budget: string;
  readonly met: boolean | null;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const perSecond = (count: number, elapsed: number): number => Math.round((count / elapsed) * 1000);

/** The value below which this share of the sorted values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function timed<T>(act: () => T): { value: T; elapsed: number } {
  const start = performance.now();
  const value = act();
  return { value, elapsed: performance.now() - start };
}

/** What else ran when the measuring began: above a tenth of a core the clock is not to be trusted. */
const [before = 0] = loadavg();

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${String(cpus().length)} × ${cpu?.model ?? 'unknown'}, ${String(memory)} GiB, Linux ${release()}, Node ${process.version}`;
}

/** Prints the table and keeps it in bench/results/. */
export function report(lines: readonly Line[]): void {
  const rows = lines.map(({ what, seen, ratio, budget, met }) => {
    const verdict = met === null ? '' : met ? 'met' : 'NOT MET';
    return `| ${what} | ${seen} | ${ratio} | ${budget} | ${verdict} |`;
  });
  const text = [
    `# Measured on ${new Date().toISOString().slice(0, 10)}`,
    '',
    `${machine()}. Ratios are against work done in the same run.`,
    `The machine was ${before < 0.1 ? 'quiet' : `not quiet: its load was ${before.toFixed(1)}`}.`,
    '',
    '| what | seen | against | budget | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
  mkdirSync(new URL('results/', import.meta.url), { recursive: true });
  writeFileSync(new URL('results/latest.md', import.meta.url), text);
  process.stdout.write(`\n${text}`);
}
