import { Fragment } from 'preact';
import { at } from '../api/client.ts';
import type { WorkflowFile, WorkflowRow } from '../../documents/workflows.ts';
import { viewsOf, type PageExtension } from '../extension.ts';
import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { oneLine } from '../../kernel/one-line.ts';
import { hasWords } from '../../kernel/words.ts';
import { Filters } from '../parts/filters.tsx';
import { Ago, Facts, Line, Sentence, Stands, State, Text, visible } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { inQuery, link } from '../state/route.ts';
import { StartRun } from './start-run.tsx';
import { kindInWords, StepGraph, type GraphStep } from './step-graph.tsx';

/** The workflows of the project, the unreadable ones with their problem. */
export function Workflows({ extensions }: { readonly extensions: readonly PageExtension[] }) {
  const live = useLive<readonly WorkflowRow[]>('/workflows');
  return (
    <View
      title="Workflows"
      actions={extensions.map(
        ({ AboveWorkflows }, index) => AboveWorkflows && <AboveWorkflows key={index} />,
      )}
    >
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>There are no workflows in workflows/.</Empty>
          ) : (
            <>
              <Filters of="workflows" />
              <Rows rows={found(rows, inQuery('q'))} extensions={extensions} />
            </>
          )
        }
      </Loaded>
    </View>
  );
}

/** Those with all the words, the last started first. */
function found(rows: readonly WorkflowRow[], words: string): WorkflowRow[] {
  const startOf = ({ last_run: last }: WorkflowRow) => Date.parse(last?.started_at ?? '') || 0;
  return rows
    .filter(({ name, file, title, description, tags }) =>
      hasWords([name, file, title, description, ...tags].join('\n'), words),
    )
    .toSorted((a, b) => startOf(b) - startOf(a));
}

interface RowsProps {
  readonly rows: readonly WorkflowRow[];
  readonly extensions: readonly PageExtension[];
}

function Rows({ rows, extensions }: RowsProps) {
  return (
    <Table
      caption="Workflows of the project"
      isStacked
      names={['Name', 'About', '#Steps', 'Last run', 'Actions']}
    >
      <tbody>
        {rows.map((row) => (
          <tr key={row.file}>
            <th scope="row">
              <a href={link('workflows', row.name ?? row.file)} data-row>
                <Line value={row.name ?? row.file} limit={60} />
              </a>{' '}
              {!row.ok && <State value="error" />}
              {row.title !== null && row.title !== row.name && (
                <p class="help">
                  <Line value={row.title} limit={80} />
                </p>
              )}
              {row.name !== null && (
                <p class="help">
                  <code>{visible(row.file)}</code>
                </p>
              )}
            </th>
            <AboutCell row={row} />
            <td class="number" data-name="Steps">
              {row.steps}
            </td>
            <td class="one-line" data-name="Last run">
              <LastRun run={row.last_run} />
            </td>
            <td class="one-line">
              <Ways row={row} extensions={extensions} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** To the start of a run where it can run, and to what extensions do with it. */
function Ways({
  row,
  extensions,
}: {
  readonly row: WorkflowRow;
  readonly extensions: RowsProps['extensions'];
}) {
  const id = row.name ?? row.file;
  const ways = [
    ...(row.ok ? [{ part: [], name: 'Run' }] : []),
    ...viewsOf(extensions).map(({ part, name }) => ({ part: [part], name })),
  ];
  return (
    <>
      {ways.map(({ part, name }, index) => (
        <Fragment key={name}>
          <a
            class={`button${index === 0 ? ' primary' : ''}`}
            aria-label={`${name} ${oneLine(id, 60)}`}
            href={link('workflows', id, ...part)}
          >
            {name}
          </a>{' '}
        </Fragment>
      ))}
    </>
  );
}

function AboutCell({ row }: { readonly row: WorkflowRow }) {
  return (
    <td>
      {row.description !== null && row.description !== row.title && (
        <p>
          <Line value={row.description} limit={160} />
        </p>
      )}
      {row.errors[0] !== undefined && (
        <p class="fault">
          <Sentence value={row.errors[0].message} limit={160} />
        </p>
      )}
      <Tags tags={row.tags} />
    </td>
  );
}

function Tags({ tags }: Pick<WorkflowRow, 'tags'>) {
  if (tags.length === 0) return null;
  return (
    <ul class="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Line value={tag} limit={40} />
        </li>
      ))}
    </ul>
  );
}

function LastRun({ run }: { readonly run: WorkflowRow['last_run'] }) {
  if (run === null) return null;
  return (
    <a href={link('runs', run.run)}>
      <Stands standing={run.standing} /> {run.started_at !== null && <Ago at={run.started_at} />}
    </a>
  );
}

/** One workflow: its parameters, what a run would do and cost at most, and its start. */
export function Workflow({
  id,
  extensions,
}: {
  readonly id: string;
  readonly extensions: readonly PageExtension[];
}) {
  const live = useLive<WorkflowFile>(at('workflows', id));
  const rows = useLive<readonly WorkflowRow[]>('/workflows').value.value;
  const row = rows?.find(({ name, file }) => name === id || file === id);
  return (
    <View
      title={<Line value={id} limit={80} />}
      actions={
        <>
          {viewsOf(extensions).map(({ part, name }) => (
            <a key={part} class="button" href={link('workflows', id, part)}>
              {name}
            </a>
          ))}
          <a class="button" href={`${link('runs')}?workflow=${encodeURIComponent(id)}`}>
            Its runs
          </a>
        </>
      }
    >
      {row != null && <About row={row} />}
      <Loaded live={live}>
        {(workflow) => (
          <>
            <Diagnostics workflow={workflow} />
            {workflow.ok && <StartRun id={id} parameters={workflow.parameters} />}
            <StepGraph
              steps={workflow.graph.nodes.filter(({ id: step }) => !step.includes('/')).map(drawn)}
              edges={workflow.graph.edges.map((edge) => ({ ...edge, label: '' }))}
            />
            <details>
              <summary>Its text</summary>
              <Text value={workflow.text} kind="code" />
            </details>
          </>
        )}
      </Loaded>
    </View>
  );
}

/** What a workflow says of itself, and its last run. */
function About({ row }: { readonly row: WorkflowRow }) {
  return (
    <>
      {row.description !== null && row.description !== row.title && (
        <p class="lead">
          <Line value={row.description} limit={400} />
        </p>
      )}
      <Facts
        of={[
          ['Called', row.title !== null && <Line value={row.title} limit={120} />],
          ['Version', row.version !== null && <Line value={row.version} limit={40} />],
          ['Steps', row.steps],
          ['Language', row.language],
          ['File', <code>{visible(row.file)}</code>],
          ['Tags', row.tags.length > 0 && <Tags tags={row.tags} />],
          ['Last run', row.last_run !== null && <LastRun run={row.last_run} />],
        ]}
      />
    </>
  );
}

const bodies = new Set(['FOR_EACH', 'WHILE', 'WORKFLOW']);

function drawn({ id, type }: WorkflowFile['graph']['nodes'][number]): GraphStep {
  const shape = type === 'GATE' ? 'gate' : bodies.has(type) ? 'body' : 'step';
  return { id, about: kindInWords(type), tone: shape === 'gate' ? 'wait' : 'calm', shape, href: null };
}

function Diagnostics({ workflow }: { readonly workflow: WorkflowFile }) {
  const all = [
    ...workflow.errors.map((each) => ['error', each] as const),
    ...workflow.warnings.map((each) => ['warning', each] as const),
  ];
  if (all.length === 0) return null;
  return (
    <ul class="problems">
      {all.map(([kind, { code, message, line, hint }], index) => (
        <li key={index}>
          <State value={kind} /> <code>{code}</code> {line !== null && `line ${String(line)}: `}
          {visible(message)} {hint !== null && <span class="dim">{visible(hint)}</span>}
        </li>
      ))}
    </ul>
  );
}
