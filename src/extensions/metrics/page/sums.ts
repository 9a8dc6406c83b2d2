import type { MetricsDocument } from '../document.ts';

/* What the view of metrics computes, purely. */

type Metric = MetricsDocument['metrics'][number];
type Sample = Metric['samples'][number];
type Histogram = NonNullable<Sample['histogram']>;

/** What a metric has of a workflow; an empty name: of all. */
export function ofWorkflow(metric: Metric, workflow: string): Metric {
  const samples = metric.samples.filter(({ labels }) => workflow === '' || labels['workflow'] === workflow);
  return { ...metric, samples };
}

/**
 * The labels of samples: first those that every one has, as a row is named by its first column. One
 * that is empty everywhere says nothing, such as the workflow of a project that has none.
 */
export function labelsOf(samples: readonly Sample[]): string[] {
  const names = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
  const empty = (name: string) => samples.filter(({ labels }) => (labels[name] ?? '') === '').length;
  return names
    .filter((name) => empty(name) < samples.length)
    .toSorted((one, other) => Number(empty(one) > 0) - Number(empty(other) > 0));
}

/** The value of a metric that is not a histogram, with its unit. */
export function inWords(metric: string, value: number): string {
  if (metric.includes('_usd')) return `$${value.toFixed(value < 1 ? 4 : 2)}`;
  if (metric.endsWith('_ratio')) return `${String(Math.round(value * 100))} %`;
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** The sum of the values, of one status if one is given. */
export function sumOf(samples: readonly Sample[], status?: string): number {
  return samples
    .filter(({ labels }) => status === undefined || labels['status'] === status)
    .reduce((sum, { value }) => sum + (value ?? 0), 0);
}

/**
 * The duration in seconds that this share of all took at most, as evenly spread within a bucket;
 * null: nothing was counted, or it lies beyond the last bound.
 */
export function quantileOf({ count, buckets }: Histogram, share: number): number | null {
  if (count === 0) return null;
  const wanted = share * count;
  let [low, before] = [0, 0];
  for (const [bound, upTo] of buckets) {
    if (upTo >= wanted && Number.isFinite(bound))
      return upTo === before ? bound : low + ((bound - low) * (wanted - before)) / (upTo - before);
    [low, before] = [bound, upTo];
  }
  return null;
}
