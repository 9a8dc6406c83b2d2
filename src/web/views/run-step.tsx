import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { oneLine } from '../../kernel/one-line.ts';
import { seconds } from '../../kernel/local-time.ts';
import { duration } from '../../kernel/times.ts';
import { retryStep } from '../api/actions.ts';
import type { ArtifactDocument, RunDocument, TimelineDocument } from '../../documents/runs.ts';
import type { InboxDocument } from '../../documents/inbox.ts';
import { saveFile } from '../api/client.ts';
import { ActButton } from '../parts/form.tsx';
import { Loaded, Panel } from '../parts/panel.tsx';
import { Facts, Lasting, Line, paid, Stands, State, Text, visible } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { now, past } from '../state/past.ts';
import { link } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { notify } from '../state/toasts.ts';
import type { StepRow } from '../steps.ts';
import { Asked, ItemTitle } from './item.tsx';
import { onStepClick } from './run-choice.ts';
import { stepLink, stretchInWords } from './timeline.tsx';

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

/** The chosen step: how it stands and why, what can be done, its result, and what it did when. */
export function StepPanel({ run, row, timeline }: StepProps) {
  const visit = visitOf(timeline, row.path);
  return (
    <Panel
      title={oneLine(row.title, 120)}
      place="run-step"
      aside={row.step !== null && saved === null && <a href={link('why', `${run.run}/${visit}`)}>Why?</a>}
    >
      <div class="fill" tabIndex={0} role="region" aria-label="Chosen step">
        <p>
          <Stands standing={row.standing} />
        </p>
        {row.step !== null && <OfStep run={run} row={row} step={row.step} visit={visit} />}
        <Inside run={run.run} row={row} />
        <Stretches path={row.path} timeline={timeline} />
        <Values row={row} />
      </div>
    </Panel>
  );
}

interface OfStepProps extends Omit<StepProps, 'timeline'> {
  readonly step: NonNullable<StepRow['step']>;
  readonly visit: string;
}

function OfStep({ run, row, step, visit }: OfStepProps) {
  const hasFailed = ['FAILED', 'CANCELLED', 'INCOMPLETE'].includes(step.status);
  const { started_at: from, completed_at: to } = step;
  return (
    <>
      <Facts
        of={[
          ['Reason', step.reason && <Line value={step.reason} limit={600} />],
          ['Exit code', step.exit_code === null ? null : String(step.exit_code)],
          ['Error', step.error_code && <code>{visible(step.error_code)}</code>],
          ['Attempts', step.attempts > 0 && String(step.attempts)],
          [to === null ? 'For' : 'Took', from && <Lasting from={from} to={to} />],
          ['Cost', paid(step.cost)],
          ['Rounds', row.rounds],
          ['Commit', step.commit && `${step.commit.id} on ${visible(step.commit.branch)}`],
          ['Worker', step.host && <Line value={step.host} limit={80} />],
        ]}
      />
      {run.gates.some(({ gate }) => gate === visit) && <Gate run={run} gate={visit} />}
      {step.artifacts.map(({ name, address }) => (
        <Artifact key={address} name={name} address={address} />
      ))}
      {hasFailed && saved === null && past.value === null && (
        <Retry key={visit} run={run.run} visit={visit} />
      )}
    </>
  );
}

/** What a gate asks, with its form; or the answer that waits for the run's process. */
function Gate({ run, gate }: { readonly run: RunDocument; readonly gate: string }) {
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const item = inbox?.items.find(({ id }) => id === `${run.run}/${gate}`);
  const asked = run.gates.find((each) => each.gate === gate);
  if (item !== undefined)
    return (
      <>
        <h3>
          <ItemTitle item={item} />
        </h3>
        <Asked key={gate} item={item} isInside />
      </>
    );
  if (asked === undefined) return null;
  return (
    <p class="gate">
      <Line value={asked.message} limit={300} />{' '}
      {asked.recorded !== null &&
        `${visible(asked.recorded.by)} answered ${visible(asked.recorded.choice)}; it takes effect when the run continues.`}
    </p>
  );
}

/** The files of an artifact, read when they are asked for. */
function Artifact({ name, address }: { readonly name: string; readonly address: string }) {
  const isOpen = useSignal(false);
  if (saved !== null) return <p>{`Artifact ${visible(name)}`}</p>;
  return (
    <details class="artifact" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{`Artifact ${visible(name)}`}</summary>
      {isOpen.value && <Files path={address.replace('/api/v1', '')} />}
    </details>
  );
}

function Files({ path }: { readonly path: string }) {
  const live = useLive<ArtifactDocument>(path, 'now');
  return (
    <Loaded live={live}>
      {({ files }) => (
        <ul class="lines">
          {files.map((file) => (
            <li key={file.path}>
              <ActButton act={() => saveFile(file.address, file.path)}>
                <Line value={file.path} limit={120} />
              </ActButton>
              <span class="dim">{`${file.bytes.toLocaleString('en')} bytes`}</span>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
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
      <div class="row">
        <ActButton act={again} kind="plain">
          Run again from here
        </ActButton>
        <span class="help">With what follows; Resume keeps what has succeeded.</span>
      </div>
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
    </div>
  );
}

function Stretches({ path, timeline }: Pick<StepProps, 'timeline'> & { readonly path: string }) {
  const of =
    timeline?.steps
      .filter((each) => each.path.replaceAll(/#\d+/g, '') === path)
      .flatMap((each) => each.stretches) ?? [];
  if (of.length === 0) return null;
  return (
    <ul class="lines" aria-label="What the step did">
      {of.map((each) => (
        <li key={`${each.kind} ${each.from}`}>
          <strong>{stretchInWords(each)}</strong>{' '}
          <span class="dim">
            {`${seconds(Date.parse(each.from))}, ${duration((each.to === null ? now.value : Date.parse(each.to)) - Date.parse(each.from))}${each.to === null ? ' so far' : ''}`}
          </span>{' '}
          {each.result !== null && <State value={each.result} />}{' '}
          {each.reason !== null && <Line value={each.reason} limit={200} />}
        </li>
      ))}
    </ul>
  );
}

/** How many rounds or steps inside of a step its panel lists; the table has all. */
const mostInside = 50;

function Inside({ run, row: { inside } }: { readonly run: string; readonly row: StepRow }) {
  if (inside.length === 0) return null;
  return (
    <ul class="inside">
      {inside.slice(0, mostInside).map(({ path, name, standing }) => (
        <li key={path}>
          <a href={stepLink(run, path)} onClick={onStepClick(path)}>
            <Line value={name} limit={60} />
          </a>{' '}
          <Stands standing={standing} />
        </li>
      ))}
      {inside.length > mostInside && (
        <li class="dim">{`${String(inside.length - mostInside)} more: unfold it in the table`}</li>
      )}
    </ul>
  );
}

function Values({ row: { step } }: Pick<StepProps, 'row'>): ComponentChildren {
  if (step === null || JSON.stringify(step.values) === '{}') return null;
  return <Text value={JSON.stringify(step.values, null, 2)} kind="code" />;
}
