import { Panel } from '../parts/panel.tsx';
import { State, Text, toneOf, visible } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import type { StepRow } from '../steps.ts';
import { StepGraph } from './step-graph.tsx';
import { stepLink } from './timeline.tsx';
import type { RunDefinition } from '../../documents/runs.ts';

/** The steps of a run's own body, coloured by their status. */
export function RunGraph({
  run,
  graph,
  rows,
}: {
  readonly run: string;
  readonly graph: RunDefinition['graph'];
  readonly rows: readonly StepRow[];
}) {
  const statuses = new Map(rows.map(({ path, step }) => [path, step.status]));
  const steps = graph.nodes.map(({ id, shape, who }) => {
    const status = statuses.get(id) ?? 'PENDING';
    const words = status.toLowerCase();
    const isWaiting = status === 'PENDING' || status === 'READY';
    const tone = isWaiting ? 'idle' : shape === 'gate' && status === 'RUNNING' ? 'wait' : toneOf(status);
    return { id, shape, tone, about: `${words} · ${who}`, href: stepLink(run, id) };
  });
  if (steps.length < 2) return null;
  return (
    <Panel title="Graph">
      <StepGraph steps={steps} edges={graph.edges} />
    </Panel>
  );
}

const words: Readonly<Record<RunDefinition['now'], string>> = {
  same: 'The file still says the same.',
  changed: 'The file, or one that it uses, was edited since: this run continues as it began.',
  broken: 'The file, or one that it uses, has errors now: this run continues as it began.',
  gone: 'The file, or one that it uses, is gone: this run continues as it began.',
};

/** The definition as the run follows it, and whether its file still says the same. */
export function Definition({ definition }: { readonly definition: RunDefinition }) {
  const { file, text, now } = definition;
  if (text === null) return null;
  return (
    <details class="panel definition">
      <summary>The definition as this run follows it {now !== 'same' && <State value={now} />}</summary>
      <p>
        {words[now]}
        {file !== null && now !== 'gone' && (
          <>
            {' '}
            <a href={link('workflows', file)}>
              <code>{visible(file)}</code> now
            </a>
          </>
        )}
      </p>
      <Text value={text} kind="code" />
    </details>
  );
}
