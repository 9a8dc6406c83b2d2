import { called } from '../kernel/called.ts';
import { ahead, clock, line, money, short, since, table, whyWords } from './format.ts';
import type { Colours } from './terminal.ts';
import type { RunStatusDocument, TriggerStatus } from '../documents/status.ts';

interface Style {
  readonly now: number;
  readonly colours: Colours;
}

interface RunsAndTriggers {
  readonly runs: readonly RunStatusDocument[];
  readonly triggers: readonly TriggerStatus[];
}

/** The active runs and the triggers as text for people; empty if there are none. */
export function workflowLines({ runs, triggers }: RunsAndTriggers, { now, colours }: Style): string[] {
  const runTable = table(
    ['RUN', 'WORKFLOW', 'STATE', 'FOR', 'COST', 'NOW'],
    runs.map((run) => runRow(run, now)),
  );
  const triggerTable = table(
    ['TRIGGER', 'WORKFLOW', 'LAST RUN', 'NEXT'],
    triggers.map((trigger) => triggerRow(trigger, now)),
  );
  return [
    ...(runs.length > 0 ? ['', ...withHead(runTable, colours)] : []),
    ...(triggers.length > 0 ? ['', ...withHead(triggerTable, colours)] : []),
  ];
}

/** A table with its head dimmed. */
export function withHead([head = '', ...lines]: readonly string[], { dim }: Colours): string[] {
  return [dim(head), ...lines];
}

/** The number of steps to name. */
const fewSteps = 3;

function runRow(
  { run, workflow, title, state, standing, started_at: started, cost, ...rest }: RunStatusDocument,
  now: number,
): string[] {
  const { steps, gates, paused, resume, why } = rest;
  const more = steps.length > fewSteps ? ` and ${String(steps.length - fewSteps)} more` : '';
  const parts = [
    ...(paused === null ? [] : [`paused by ${paused.by}`]),
    ...(resume === null ? [] : [`continue with \`${resume}\``]),
    ...(steps.length > 0 && resume === null ? [`${steps.slice(0, fewSteps).join(', ')}${more}`] : []),
    // What a gate waits for is its own part.
    ...(gates.length === 0 && why?.code !== 'paused' ? whyWords(why, now) : []),
    ...gates.map(({ gate, message, approve, deadline, recorded }) => {
      if (recorded !== null) return `${gate}: \`${recorded.choice}\` by ${recorded.by} is recorded`;
      const until = deadline === null ? '' : `, until ${clock(deadline, now)}`;
      return `${gate} asks: ${message} (\`${approve}\`${until})`;
    }),
  ];
  return [
    short(run),
    line(called(workflow, title)),
    standing.is === 'needs you' ? standing.is : state,
    started === null ? '' : since(started, now),
    money(cost),
    line(parts.join('; ')),
  ];
}

function triggerRow(
  { name, kind, workflow, why, next, last, waiting, cools_until: cools }: TriggerStatus,
  now: number,
): string[] {
  const fired =
    last === null ? '' : `${short(last.run)}${last.at === null ? '' : `, ${since(last.at, now)} ago`}`;
  const due = next === null ? '' : `${clock(next, now)}, in ${ahead(next, now)}`;
  const queued = waiting ? 'queued behind the running one' : due;
  const asked =
    cools === null ? queued : `queued: cooldown until ${clock(cools, now)}, in ${ahead(cools, now)}`;
  return [`${name} (${kind})`, workflow, fired, why === null ? asked : `not active: ${why}`];
}
