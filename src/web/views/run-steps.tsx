import { useSignal } from '@preact/signals';
import { seconds } from '../../kernel/local-time.ts';
import { duration } from '../../kernel/times.ts';
import { retryStep } from '../api/actions.ts';
import type { RunDocument } from '../../documents/runs.ts';
import { ActButton } from '../parts/form.tsx';
import { Panel, Table } from '../parts/panel.tsx';
import { Facts, Lasting, Line, Price, State, Text, visible } from '../parts/text.tsx';
import { now } from '../state/now.ts';
import { link } from '../state/route.ts';
import { notify } from '../state/toasts.ts';
import type { StepRow } from '../steps.ts';
import { stepLink } from './timeline.tsx';
import type { Stretch, TimelineDocument } from '../../documents/runs.ts';

/** All steps of a run with their results. */
export function Steps({
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

/** The path of the last visit of a step, as commands and logs name it. */
export function visitOf(timeline: TimelineDocument | null, path: string): string {
  const visits = timeline?.steps.filter((each) => each.path.replaceAll(/#\d+/g, '') === path) ?? [];
  return visits.at(-1)?.path ?? path;
}

interface StepProps {
  readonly run: RunDocument;
  readonly row: StepRow;
  readonly timeline: TimelineDocument | null;
}

/** One step: its result, what it did when, and its repetition. */
export function StepPanel({ run, row, timeline }: StepProps) {
  const { path, step } = row;
  const visit = visitOf(timeline, path);
  const hasValues = JSON.stringify(step.values) !== '{}';
  const hasFailed = ['FAILED', 'CANCELLED', 'INCOMPLETE'].includes(step.status);
  const stretches =
    timeline?.steps
      .filter((each) => each.path.replaceAll(/#\d+/g, '') === path)
      .flatMap((each) => each.stretches) ?? [];
  return (
    <Panel title={visible(path)} aside={<a href={link('why', `${run.run}/${visit}`)}>Why?</a>}>
      <Facts
        of={[
          ['Status', <State value={step.status} />],
          ['Exit code', step.exit_code === null ? null : String(step.exit_code)],
          ['Error', step.error_code && <code>{visible(step.error_code)}</code>],
          ['Reason', step.reason && <Line value={step.reason} limit={600} />],
          ['Commit', step.commit && `${step.commit.id} on ${visible(step.commit.branch)}`],
          ['Worker', step.host && <Line value={step.host} limit={80} />],
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
      {hasFailed && <Retry key={visit} run={run.run} visit={visit} />}
      {stretches.length > 0 && <Stretches of={stretches} />}
      {hasValues && <Text value={JSON.stringify(step.values, null, 2)} kind="code" />}
    </Panel>
  );
}

/** Runs a failed step, and the steps after it, again; for an agent with other instructions. */
function Retry({ run, visit }: { readonly run: string; readonly visit: string }) {
  const instructions = useSignal('');
  const again = async () => {
    const { state } = await retryStep(run, visit, instructions.value.trim());
    notify(
      state === 'done' ? 'The step runs again.' : 'Recorded: the step runs again when the run continues.',
    );
  };
  return (
    <div class="retry">
      <details>
        <summary>Other instructions</summary>
        <div class="field">
          <label for="retry-instructions">Instructions for the next attempt</label>
          <textarea
            id="retry-instructions"
            rows={3}
            value={instructions.value}
            onInput={(event) => (instructions.value = event.currentTarget.value)}
          />
          <p class="help">They replace those of the definition. Empty: those of the definition.</p>
        </div>
      </details>
      <ActButton kind="primary" act={again}>
        Run it and what follows again
      </ActButton>
    </div>
  );
}

const kinds: Readonly<Record<Stretch['kind'], string>> = {
  worker: 'attempt',
  check: 'check',
  queue: 'waits for a slot',
  pause: 'pause',
  gate: 'waits for a person',
  body: 'its own steps',
};

function Stretches({ of }: { readonly of: readonly Stretch[] }) {
  return (
    <Table caption="What the step did" names={['#Round', 'What', 'From', 'Took', 'Result', 'Reason']}>
      <tbody>
        {of.map((each) => (
          <tr key={`${each.kind} ${each.from}`}>
            <td class="number">{each.iteration}</td>
            <th scope="row">
              {each.kind === 'worker' ? `attempt ${String(each.attempt)}` : kinds[each.kind]}
              {each.provider !== null && <span class="dim"> {visible(each.provider)}</span>}
            </th>
            <td>{seconds(Date.parse(each.from))}</td>
            <td>
              {duration((each.to === null ? now.value : Date.parse(each.to)) - Date.parse(each.from))}
              {each.to === null && ' so far'}
            </td>
            <td>{each.result !== null && <State value={each.result} />}</td>
            <td>{each.reason !== null && <Line value={each.reason} limit={200} />}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
