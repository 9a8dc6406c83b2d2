import type { StepDocument, StepDocuments } from './api/documents.ts';

/* What the views of a run compute from its document, purely. */

export interface StepRow {
  /** `deploy/2/build`: the iteration of a loop is a part of the path. */
  readonly path: string;
  readonly depth: number;
  readonly step: StepDocument;
}

/** All steps with those inside them, in the order of the definition. */
export function rowsOf(steps: StepDocuments, within = '', depth = 0): StepRow[] {
  return Object.entries(steps).flatMap(([id, step]) => {
    const path = within === '' ? id : `${within}/${id}`;
    const inner = step.steps === undefined ? [] : rowsOf(step.steps, path, depth + 1);
    const items = (step.items ?? []).flatMap((item) =>
      rowsOf(item.steps, `${path}/${String(item.index)}`, depth + 1),
    );
    return [{ path, depth, step }, ...inner, ...items];
  });
}

interface Bar {
  readonly path: string;
  readonly status: string;
  /** Fractions of the whole axis. */
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  readonly start: number;
  readonly end: number;
  readonly bars: readonly Bar[];
}

/** The steps that have started, on one axis from the first start to the last end or `now`. */
export function timelineOf(rows: readonly StepRow[], now: number): Timeline {
  const started = rows.flatMap(({ path, step }) => {
    if (step.started_at === null) return [];
    const from = Date.parse(step.started_at);
    return [
      {
        path,
        status: step.status,
        from,
        to: step.completed_at === null ? Math.max(from, now) : Date.parse(step.completed_at),
      },
    ];
  });
  const start = Math.min(...started.map(({ from }) => from));
  const end = Math.max(...started.map(({ to }) => to), start + 1);
  const part = (time: number) => (time - start) / (end - start);
  return { start, end, bars: started.map((bar) => ({ ...bar, from: part(bar.from), to: part(bar.to) })) };
}
