import { describe, expect, it } from 'vitest';
import {
  inWords,
  labelsOf,
  ofWorkflow,
  quantileOf,
  sumOf,
} from '../../../../src/extensions/metrics/page/sums.ts';

describe('the metrics', () => {
  const sample = (workflow: string, status: string, value: number) => ({
    labels: { workflow, status },
    value,
    histogram: null,
  });
  const ended = {
    name: 'mailroom_runs_ended_total' as const,
    kind: 'counter' as const,
    help: 'Runs that have ended',
    samples: [sample('a', 'succeeded', 3), sample('a', 'failed', 1), sample('b', 'succeeded', 5)],
  };

  it.each([
    ['', undefined, 9],
    ['', 'succeeded', 8],
    ['a', undefined, 4],
    ['a', 'failed', 1],
    ['c', undefined, 0],
  ])('of workflow %j and status %j sum up to %i', (workflow, status, sum) => {
    expect(sumOf(ofWorkflow(ended, workflow).samples, status)).toBe(sum);
  });

  it('are named first by what all rows have', () => {
    const of = (workflow: string, role: string) => ({
      ...sample(workflow, '', 1),
      labels: { workflow, version: '', role },
    });
    expect(labelsOf([of('', 'qa'), of('a', 'dev')])).toEqual(['role', 'workflow']);
    expect(labelsOf([of('a', 'dev')])).toEqual(['workflow', 'role']);
  });

  // Two of ten took up to 1 s, six more up to 5 s, the last two longer than any bound.
  const histogram = {
    count: 10,
    sum: 60,
    buckets: [
      [1, 2],
      [5, 8],
      [10, 8],
    ] as [number, number][],
  };

  it.each([
    [0.1, 0.5],
    [0.2, 1],
    [0.5, 3],
    [0.8, 5],
    [0.95, null],
  ])('have a quantile %f of %j seconds', (share, seconds) => {
    expect(quantileOf(histogram, share)).toBe(seconds);
  });

  it('have no quantile of nothing', () => {
    expect(quantileOf({ count: 0, sum: 0, buckets: [[1, 0]] }, 0.5)).toBe(null);
  });

  it.each([
    ['mailroom_cost_usd_total', 0.0312, '$0.0312'],
    ['mailroom_budget_used_usd_total', 12.5, '$12.50'],
    ['mailroom_run_completion_ratio', 0.755, '76 %'],
    ['mailroom_tokens_total', 1_234_567, '1,234,567'],
  ])('say %s %f as %s', (metric, value, words) => {
    expect(inWords(metric, value)).toBe(words);
  });
});
