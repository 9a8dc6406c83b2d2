import { oneLine } from '../../kernel/one-line.ts';
import { money } from '../../kernel/cost.ts';
import type { RunDocument } from '../api/documents.ts';
import { command, retryStep } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type { StatusDocument } from '../../operations/status.ts';
import { ActButton } from '../parts/form.tsx';
import { Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Ago, Facts, Id, Lasting, Line, Price, State, Text, visible, Why } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link, query } from '../state/route.ts';
import { rowsOf, type StepRow } from '../steps.ts';
import { notify } from '../state/toasts.ts';
import { Logs } from './logs.tsx';
import { stateOf } from './runs.tsx';
import { StepBars, stepLink } from './timeline.tsx';

/** One run: why it waits, its steps on a time axis, their results, and their output. */
export function Run({ id }: { readonly id: string }) {
  const live = useLive<RunDocument>(at('workflow-runs', id));
  return <Loaded live={live}>{(run) => <Shows run={run} />}</Loaded>;
}

function Shows({ run }: { readonly run: RunDocument }) {
  const rows = rowsOf(run.steps);
  const chosen = query.value.get('step');
  const step = rows.find(({ path }) => path === chosen);
  return (
    <View title={<Line value={run.workflow} limit={80} />} actions={<RunActions run={run} />}>
      <Facts
        of={[
          ['Run', <Id value={run.run} />],
          ['State', <State value={stateOf(run)} />],
          ['Reason', run.reason && <Line value={run.reason} limit={400} />],
          ['Started', run.started_at && <Ago at={run.started_at} />],
          ['Took', run.started_at && <Lasting from={run.started_at} to={run.completed_at} />],
          [
            'Steps',
            `${String(rows.filter((row) => row.step.completed_at !== null).length)} of ${String(rows.length)}`,
          ],
          ['Cost', money(run.cost)],
          ...Object.entries(run.parameters).map(
            ([name, value]) =>
              [
                oneLine(name, 40),
                <Line value={typeof value === 'string' ? value : JSON.stringify(value)} limit={120} />,
              ] as const,
          ),
        ]}
      />
      <Waits run={run.run} />
      {run.warnings.length > 0 && (
        <ul class="problems">
          {run.warnings.map((warning) => (
            <li key={warning}>
              <State value="warning" /> {visible(warning)}
            </li>
          ))}
        </ul>
      )}
      <Panel title="Timeline">
        <StepBars run={run.run} rows={rows} />
      </Panel>
      <Steps run={run.run} rows={rows} chosen={chosen} />
      {step !== undefined && <StepPanel run={run} row={step} />}
      <Panel title={step === undefined ? 'Output' : `Output of ${visible(step.path)}`}>
        <Logs run={run.run} step={step?.path ?? null} isLive={run.alive} />
      </Panel>
    </View>
  );
}

function RunActions({ run }: { readonly run: RunDocument }) {
  const path = at('workflow-runs', run.run);
  const tell = async (verb: 'cancel' | 'resume') => {
    await command(path, verb);
    notify(verb === 'cancel' ? 'The run is being cancelled.' : 'The run continues.');
  };
  const isOver = run.completed_at !== null;
  return (
    <>
      {!run.alive && run.status !== 'SUCCEEDED' && (
        <ActButton kind="primary" act={() => tell('resume')}>
          Resume
        </ActButton>
      )}
      {!isOver && (
        <ActButton sure="Cancel this run permanently" act={() => tell('cancel')}>
          Cancel
        </ActButton>
      )}
    </>
  );
}

/** Why the run does not move, and its gates, from the status of the project. */
function Waits({ run }: { readonly run: string }) {
  const live = useLive<StatusDocument>('/status');
  const waiting = live.value.value?.runs.find((each) => each.run === run);
  if (waiting === undefined) return null;
  return (
    <>
      {waiting.why !== null && <Why why={waiting.why} />}
      {waiting.gates.map(({ gate, message, recorded }) => (
        <p key={gate} class="gate">
          <State value="waiting" /> <Line value={message} limit={300} />{' '}
          {recorded === null ? (
            <a href={link('inbox', `${run}/${gate}`)}>Answer it</a>
          ) : (
            <span>{`${visible(recorded.by)} answered ${visible(recorded.choice)}; it takes effect when the run continues.`}</span>
          )}
        </p>
      ))}
    </>
  );
}

function Steps({
  run,
  rows,
  chosen,
}: {
  readonly run: string;
  readonly rows: readonly StepRow[];
  readonly chosen: string | null;
}) {
  return (
    <Table caption="Steps" names={['Step', 'Status', 'Took', '#Attempts', '#Cost', 'Reason']}>
      <tbody>
        {rows.map(({ path, depth, step }) => (
          <tr key={path} class={path === chosen ? 'chosen' : undefined}>
            <th scope="row" class={`depth-${String(Math.min(depth, 4))}`}>
              <a data-row href={stepLink(run, path)} aria-current={path === chosen ? 'true' : undefined}>
                <Line value={path} limit={80} />
              </a>
            </th>
            <td>
              <State value={step.status} />
            </td>
            <td>{step.started_at !== null && <Lasting from={step.started_at} to={step.completed_at} />}</td>
            <td class="number">{step.attempts > 0 && step.attempts}</td>
            <td class="number">
              <Price cost={step.cost} />
            </td>
            <td>{step.reason !== null && <Line value={step.reason} limit={160} />}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function StepPanel({ run, row }: { readonly run: RunDocument; readonly row: StepRow }) {
  const { path, step } = row;
  const hasValues = JSON.stringify(step.values) !== '{}';
  const mayRepeat = step.completed_at !== null && run.completed_at !== null;
  return (
    <Panel
      title={visible(path)}
      aside={
        <span class="actions">
          <a href={link('why', `${run.run}/${path}`)}>Why?</a>
          {mayRepeat && (
            <ActButton
              act={async () => {
                await retryStep(run.run, path);
                notify('The step runs again.');
              }}
            >
              Run it again
            </ActButton>
          )}
        </span>
      }
    >
      <Facts
        of={[
          ['Status', <State value={step.status} />],
          ['Exit code', step.exit_code === null ? null : String(step.exit_code)],
          ['Error', step.error_code && <code>{visible(step.error_code)}</code>],
          ['Reason', step.reason && <Line value={step.reason} limit={600} />],
          ['Iterations', step.iterations > 1 ? String(step.iterations) : null],
          [
            'Artifacts',
            step.artifacts.length === 0
              ? null
              : step.artifacts.map(({ name, path: file }) => (
                  <div key={name}>{`${visible(name)}: ${visible(file)}`}</div>
                )),
          ],
        ]}
      />
      {hasValues && <Text value={JSON.stringify(step.values, null, 2)} kind="code" />}
    </Panel>
  );
}
