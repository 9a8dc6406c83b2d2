import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { command } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type {
  RunDocument,
  RunDefinition,
  TimelineDocument,
  ResumptionDocument,
} from '../../documents/runs.ts';
import { ActButton } from '../parts/form.tsx';
import { StepLogs } from '../parts/log-of-step.tsx';
import { Empty, Loaded, Panel, View, Table } from '../parts/panel.tsx';
import { Ago, Facts, Id, Lasting, Line, State, visible } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { now } from '../state/now.ts';
import { past } from '../state/past.ts';
import { query } from '../state/route.ts';
import { notify } from '../state/toasts.ts';
import { rowsOf, timelineOf, untilThen, type StepRow } from '../steps.ts';
import { Item } from './item.tsx';
import { Definition, RunGraph } from './run-definition.tsx';
import { StepPanel, Steps, visitOf } from './run-steps.tsx';
import { stateOf } from './runs.tsx';
import { StepBars } from './timeline.tsx';
import type { InboxDocument } from '../../documents/inbox.ts';
import type { Overview } from '../../documents/status.ts';

/** One run: why it waits, its graph, its steps on a time axis, their results, and their output. */
export function Run({ id }: { readonly id: string }) {
  const live = useLive<RunDocument>(at('workflow-runs', id));
  return (
    <Loaded live={live} title="Run">
      {(run) => <Shows run={run} />}
    </Loaded>
  );
}

function Shows({ run }: { readonly run: RunDocument }) {
  const path = at('workflow-runs', run.run);
  const timeline = useLive<TimelineDocument>(`${path}/timeline`);
  const definition = useLive<RunDefinition>(`${path}/definition`).value.value;
  const explains = useSignal(false);
  const rows = rowsOf(run.steps);
  const chosen = query.value.get('step');
  const row = rows.find((each) => each.path === chosen);
  // Without a choice: what went wrong, else what is happening.
  const of = row ?? firstOf(rows, 'FAILED') ?? firstOf(rows, 'RUNNING');
  return (
    <View
      title={<Line value={run.workflow} limit={80} />}
      actions={<RunActions run={run} explain={() => (explains.value = !explains.value)} />}
    >
      <About run={run} rows={rows} definition={definition} />
      {explains.value && <ResumePanel run={run.run} close={() => (explains.value = false)} />}
      <Waits run={run.run} />
      <Warnings warnings={run.warnings} />
      {definition !== null && <RunGraph run={run.run} graph={definition.graph} rows={rows} />}
      <Panel title="Timeline">
        <Loaded live={timeline}>{(document) => <Bars run={run} rows={rows} document={document} />}</Loaded>
      </Panel>
      <Steps run={run.run} rows={rows} chosen={chosen} />
      {row !== undefined && <StepPanel run={run} row={row} timeline={timeline.value.value} />}
      <Panel title={of === undefined ? 'Output' : `Output of ${visible(of.path)}`}>
        <StepLogs
          key={of?.path}
          run={run.run}
          step={of === undefined ? null : visitOf(timeline.value.value, of.path)}
          isLive={run.alive && run.completed_at === null && of?.step.completed_at == null}
          hasFailed={of?.step.status === 'FAILED' || of?.step.status === 'INCOMPLETE'}
        />
      </Panel>
      {definition !== null && <Definition definition={definition} />}
    </View>
  );
}

/** The first step of a status, inside of others if it is there. */
function firstOf(rows: readonly StepRow[], status: string): StepRow | undefined {
  const found = rows.find(({ step }) => step.status === status);
  const inner = rows.find(
    ({ path, step }) => step.status === status && path.startsWith(`${found?.path ?? ''}/`),
  );
  return inner ?? found;
}

function About({
  run,
  rows,
  definition,
}: {
  readonly run: RunDocument;
  readonly rows: readonly StepRow[];
  readonly definition: RunDefinition | null;
}) {
  const done = rows.filter(({ step }) => step.completed_at !== null).length;
  return (
    <Facts
      of={[
        ['Run', <Id value={run.run} />],
        ['State', <State value={stateOf(run)} />],
        ['Reason', run.reason && <Line value={run.reason} limit={400} />],
        ['Started', run.started_at && <Ago at={run.started_at} />],
        [
          'Took',
          run.started_at && (run.alive || run.completed_at !== null) && (
            <Lasting from={run.started_at} to={run.completed_at} />
          ),
        ],
        ['Steps', `${String(done)} of ${String(rows.length)}`],
        ['Cost', money(run.cost)],
        ['File', definition?.file && <code>{visible(definition.file)}</code>],
        ...Object.entries(run.parameters).map(
          ([name, value]) =>
            [
              oneLine(name, 40),
              <Line value={typeof value === 'string' ? value : JSON.stringify(value)} limit={120} />,
            ] as const,
        ),
      ]}
    />
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="problems">
      {warnings.map((warning) => (
        <li key={warning}>
          <State value="warning" /> {visible(warning)}
        </li>
      ))}
    </ul>
  );
}

function Bars({
  run,
  rows,
  document,
}: {
  readonly run: RunDocument;
  readonly rows: readonly StepRow[];
  readonly document: TimelineDocument;
}) {
  const isPast = past.value !== null;
  const isOpen = run.completed_at === null && (run.alive || isPast);
  const known = isPast ? untilThen(document, now.value) : document;
  const timeline = timelineOf(rows, known, isOpen ? now.value : null);
  if (timeline === null) return <Empty>No step has started.</Empty>;
  return (
    <>
      {!document.complete && (
        <p class="dim">The journal of this run does not keep its beginning: earlier stretches are missing.</p>
      )}
      <StepBars run={run.run} timeline={timeline} isOpen={isOpen} />
    </>
  );
}

function RunActions({ run, explain }: { readonly run: RunDocument; readonly explain: () => void }) {
  const cancel = async () => {
    await command(at('workflow-runs', run.run), 'cancel');
    notify('The run is being cancelled.');
  };
  return (
    <>
      {(!run.alive || run.completed_at !== null) && run.status !== 'SUCCEEDED' && (
        <button type="button" class="primary" onClick={explain}>
          Resume …
        </button>
      )}
      {run.completed_at === null && (
        <ActButton sure="Cancel this run permanently" act={cancel}>
          Cancel
        </ActButton>
      )}
    </>
  );
}

/** Why the run does not move, and its gates with their answers. */
function Waits({ run }: { readonly run: string }) {
  const status = useLive<Overview>('/status').value.value;
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const waiting = status?.runs.find((each) => each.run === run);
  if (waiting === undefined) return null;
  return (
    <>
      {waiting.why !== null && waiting.gates.length === 0 && <Why why={waiting.why} />}
      {waiting.gates.map(({ gate, message, recorded }) => {
        const item = inbox?.items.find(({ id }) => id === `${run}/${gate}`);
        if (item !== undefined) return <Item key={gate} item={item} />;
        if (recorded === null) return null;
        return (
          <p key={gate} class="gate">
            <State value="waiting" /> <Line value={message} limit={300} />{' '}
            {`${visible(recorded.by)} answered ${visible(recorded.choice)}; it takes effect when the run continues.`}
          </p>
        );
      })}
    </>
  );
}

/** What resuming a run would do with each step, before it is done. */
function ResumePanel({ run, close }: { readonly run: string; readonly close: () => void }) {
  const path = at('workflow-runs', run);
  const live = useLive<ResumptionDocument>(`${path}/resumption`);
  const resume = async () => {
    await command(path, 'resume');
    notify('The run continues.');
    close();
  };
  return (
    <Panel title="What resuming does">
      <Loaded live={live}>
        {({ steps }) => (
          <Table caption="What resuming does with each step" names={['Step', 'Does', 'Why']}>
            <tbody>
              {steps.map((each) => (
                <tr key={each.path}>
                  <th scope="row">
                    <Line value={each.path} limit={80} />
                  </th>
                  <td>
                    <State value={each.does} />
                  </td>
                  <td>
                    <Line value={each.why} limit={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Loaded>
      <p class="actions">
        <ActButton kind="primary" act={resume}>
          Resume now
        </ActButton>
        <button type="button" onClick={close}>
          Not now
        </button>
      </p>
    </Panel>
  );
}
