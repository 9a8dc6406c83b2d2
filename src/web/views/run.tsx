import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { called } from '../../kernel/called.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { command } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type {
  RunDocument,
  RunDefinition,
  TimelineDocument,
  ResumptionDocument,
} from '../../documents/runs.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ActButton } from '../parts/form.tsx';
import { StepLogs } from '../parts/log-of-step.tsx';
import { Panes } from '../parts/panes.tsx';
import { Empty, Loaded, Panel, View, Table } from '../parts/panel.tsx';
import { Ago, Facts, Id, inLowerCase, Line, paid, Stands, State, visible } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { now, past } from '../state/past.ts';
import { link, query } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { notify } from '../state/toasts.ts';
import { allOf, keptInSight, nextToLookAt, timelineOf, treeOf, untilThen, type StepRow } from '../steps.ts';
import { parametersOf } from './run-definition.tsx';
import { RunMap, useShownRows } from './run-map.tsx';
import { StepPanel, visitOf } from './run-step.tsx';
import { RunsBeside, starterOf, tookOf } from './runs.tsx';
import { onStepClick } from './run-choice.ts';
import { StepBars, stepLink } from './timeline.tsx';
import type { Overview } from '../../documents/status.ts';

/** One run on one screen: its steps, the chosen one with its output, and all of them in time. */
export function Run({ id }: { readonly id: string }) {
  const live = useLive<RunDocument>(at('workflow-runs', id));
  const screen = (
    <div class="run-screen">
      <Loaded live={live} title="Run">
        {(run) => <Shows run={run} />}
      </Loaded>
    </div>
  );
  if (saved !== null) return screen;
  return (
    <div class="run-panes">
      <Panes name="runs" back={link('runs')} list={<RunsBeside chosen={id} />} detail={screen} />
    </div>
  );
}

function Shows({ run }: { readonly run: RunDocument }) {
  const path = at('workflow-runs', run.run);
  const timeline = useLive<TimelineDocument>(`${path}/timeline`);
  const { value: whole } = timeline.value;
  const known = whole === null || past.value === null ? whole : untilThen(whole, now.value);
  const definition = useLive<RunDefinition>(`${path}/definition`).value.value;
  const explains = useSignal(false);
  const all = useMemo(() => treeOf(run.steps), [run]);
  const asked = query.value.get('step');
  const [opened, isTouched] = [useRef<string | null>(null), useRef(false)];
  const touch = () => {
    isTouched.current = true;
  };
  const row = useMemo(
    () =>
      allOf(all).find((each) => each.path === asked) ?? keptInSight(all, opened.current, isTouched.current),
    [all, asked],
  );
  opened.current = row?.path ?? null;
  const isFollowed = asked === null || run.completed_at === null;
  const next = isFollowed ? nextToLookAt(all, row) : undefined;
  const chosen = row?.path ?? null;
  const shown = useShownRows(all, chosen);
  return (
    <View
      title={<Line value={called(run.workflow, run.title)} limit={80} />}
      tab={`${called(run.workflow, run.title)}, ${run.standing.word}`}
      actions={<RunActions run={run} explain={() => (explains.value = true)} />}
    >
      <About run={run} definition={definition} />
      {explains.value && <Resume run={run.run} close={() => (explains.value = false)} />}
      <div class="run-notices">
        {run.completed_at === null && <Waits run={run.run} />}
        <Warnings warnings={run.warnings} />
      </div>
      <div
        class={`run-grid ${row?.standing.is === 'needs you' ? 'asks' : row?.standing.is === 'failed' ? 'broken' : ''}`}
        onPointerDown={touch}
        onWheel={touch}
        onFocusIn={touch}
      >
        <RunMap run={run} all={all} shown={shown} definition={definition} chosen={chosen} />
        {row !== undefined && <StepPanel key={row.path} run={run} row={row} timeline={known} />}
        {row?.standing.is !== 'needs you' && (
          <Output run={run} row={row} next={next} timeline={timeline.value.value} />
        )}
        <Panel title="Timeline" place="run-time">
          <Loaded live={timeline}>
            {(document) => <Bars run={run} rows={shown.rows} document={document} chosen={chosen} />}
          </Loaded>
        </Panel>
      </div>
    </View>
  );
}

interface OutputProps {
  readonly run: RunDocument;
  readonly row: StepRow | undefined;
  /** Where the run is now, if this step is over. */
  readonly next: StepRow | undefined;
  readonly timeline: TimelineDocument | null;
}

/** The log of the chosen step: at its error, or following its end. */
function Output({ run, row, next, timeline }: OutputProps) {
  const isLive = run.alive && run.completed_at === null && row?.step?.completed_at == null;
  const hasBegun = row?.step === null || row?.step?.started_at != null;
  return (
    <Panel
      title={row === undefined ? 'Output' : `Output of ${oneLine(row.title, 120)}`}
      place="run-log"
      aside={
        <p role="status">
          {row !== undefined && next !== undefined && <Next run={run} row={row} next={next} />}
        </p>
      }
    >
      {row === undefined || !hasBegun ? (
        <Empty>It has not run.</Empty>
      ) : (
        <StepLogs
          key={row.path}
          run={run.run}
          step={visitOf(timeline, row.path)}
          isLive={isLive}
          hasFailed={row.standing.is === 'failed'}
        />
      )}
    </Panel>
  );
}

/** Leads from a step that is over to where the run is now. */
function Next({ run, row, next }: { readonly [Name in 'row' | 'next']: StepRow } & Pick<OutputProps, 'run'>) {
  const how = next.standing.is === 'working' ? 'now' : next.standing.is;
  return (
    <>
      {`${oneLine(row.name, 40)} is over; ${how}: `}
      <a href={stepLink(run.run, next.path)} onClick={onStepClick(next.path)}>
        {`${oneLine(next.title, 60)} →`}
      </a>
    </>
  );
}

function About({
  run,
  definition,
}: {
  readonly run: RunDocument;
  readonly definition: RunDefinition | null;
}) {
  const { completed, total } = run.progress;
  const isFine = run.status === 'SUCCEEDED';
  return (
    <Facts
      of={[
        ['State', <Stands standing={run.standing} />],
        [isFine ? 'Although' : 'Reason', run.reason && <Line value={run.reason} limit={200} />],
        ['Done', `${String(completed)} of ${String(total)} ${total === 1 ? 'step' : 'steps'}`],
        ['Started', run.started_at && <Ago at={run.started_at} />],
        ['By', <Line value={starterOf(run)} limit={40} />],
        ...parametersOf(run, 80),
        [run.completed_at === null ? 'For' : 'Took', tookOf(run)],
        ['Cost', paid(run.cost)],
        ['Run', <Id value={run.run} />],
        ['File', definition?.file == null ? null : <code>{visible(definition.file)}</code>],
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
  chosen,
}: {
  readonly run: RunDocument;
  readonly rows: readonly StepRow[];
  readonly document: TimelineDocument;
  readonly chosen: string | null;
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
      <StepBars run={run.run} timeline={timeline} isOpen={isOpen} chosen={chosen} />
    </>
  );
}

function RunActions({ run, explain }: { readonly run: RunDocument; readonly explain: () => void }) {
  if (saved !== null || past.value !== null) return null;
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
        <ActButton sure="Cancel this run" act={cancel}>
          Cancel
        </ActButton>
      )}
    </>
  );
}

/** Why the run does not move; what a gate asks is at its step. */
function Waits({ run }: { readonly run: string }) {
  const status = useLive<Overview>('/status').value.value;
  const waiting = status?.runs.find((each) => each.run === run);
  if (waiting === undefined || waiting.why === null || waiting.gates.length > 0) return null;
  return <Why why={waiting.why} />;
}

/** What resuming a run would do with each step, before it is done. */
function Resume({ run, close }: { readonly run: string; readonly close: () => void }) {
  const path = at('workflow-runs', run);
  const live = useLive<ResumptionDocument>(`${path}/resumption`);
  const resume = async () => {
    await command(path, 'resume');
    notify('The run continues.');
    close();
  };
  return (
    <Dialog label="What resuming does" close={close}>
      <h2>What resuming does</h2>
      <Loaded live={live}>
        {({ steps }) => (
          <Table caption="What resuming does with each step" names={['Step', 'Does', 'Why']} isStacked>
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
                    <Line value={each.why.replace(/^[A-Z_]{2,}/, inLowerCase)} limit={200} />
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
    </Dialog>
  );
}
