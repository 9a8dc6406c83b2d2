import { oneLine } from '../../kernel/one-line.ts';
import { Facts, Line, State, Text, toneOfStanding, visible } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import type { StepRow } from '../steps.ts';
import { StepGraph } from './step-graph.tsx';
import { stepLink } from './timeline.tsx';
import type { RunDefinition, RunDocument } from '../../documents/runs.ts';

/**
 * The steps of a run's own body, coloured by how they stand. A loop is one of them, with its
 * rounds.
 */
export function RunGraph({
  run,
  graph,
  rows,
  chosen,
}: {
  readonly run: string;
  readonly graph: RunDefinition['graph'];
  readonly rows: readonly StepRow[];
  readonly chosen: string | null;
}) {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const steps = graph.nodes.map(({ id, shape, who }) => {
    const row = byPath.get(id);
    const standing = row?.standing ?? { is: 'waiting', word: 'waiting', for: [], until: null };
    const tone = standing.is === 'waiting' ? 'idle' : toneOfStanding(standing);
    const isAsking = standing.is === 'needs you' || who === '';
    const about = row?.rounds ?? (isAsking ? standing.word : `${standing.word} · ${who}`);
    return { id, shape, tone, about, href: stepLink(run, id) };
  });
  // What is inside of a step is chosen: its step of the graph is.
  const own = chosen === null ? null : (chosen.split('/')[0] ?? null);
  return <StepGraph steps={steps} edges={graph.edges} chosen={own} />;
}

const words: Readonly<Record<RunDefinition['now'], string>> = {
  same: 'The file still says the same.',
  changed: 'The file, or one that it uses, was edited since: this run continues as it began.',
  broken: 'The file, or one that it uses, has errors now: this run continues as it began.',
  gone: 'The file, or one that it uses, is gone: this run continues as it began.',
};

/** What was given to a run, as facts; each value with at most so many characters. */
export function parametersOf({ parameters }: RunDocument, most: number) {
  return Object.entries(parameters).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [oneLine(name, 40), <Line value={text} limit={most} />] as const;
  });
}

/** The parameters of a run, and its definition as the run follows it. */
export function Definition({
  run,
  definition,
}: {
  readonly run: RunDocument;
  readonly definition: RunDefinition | null;
}) {
  return (
    <div class="fill definition" tabIndex={0} role="region" aria-label="Definition">
      <Facts of={parametersOf(run, 400)} />
      {definition?.text != null && <Followed {...definition} text={definition.text} />}
    </div>
  );
}

function Followed({ file, text, now }: RunDefinition & { readonly text: string }) {
  return (
    <>
      <p>
        {now !== 'same' && <State value={now} />} {words[now]}
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
    </>
  );
}
