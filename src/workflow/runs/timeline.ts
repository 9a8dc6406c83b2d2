import { iso, isoOrNull } from '../../kernel/times.ts';
import { apply } from '../machine/apply.ts';
import type { StepPath, RunEvent } from '../machine/event.ts';
import type { Verdict } from '../machine/work-result.ts';
import type { RunState } from '../machine/state.ts';
import { lastFailure } from '../machine/view.ts';
import type { RunHistory } from '../../project/definition/contracts.ts';
import type { Stretch, TimelineDocument } from '../../documents/runs.ts';

/** Folds the events of a run into what its steps did. Consumes the state before them. */
export function timelineOf(run: string, { before: state, events, complete }: RunHistory): TimelineDocument {
  const found = new Map<StepPath, Stretch[]>();
  const open = new Map<StepPath, Doing>();
  const begin = (path: StepPath, is: Doing | null) => {
    if (is === null) return void open.delete(path);
    open.set(path, is);
    const { key: _key, ...begun } = is;
    const stretch = { ...begun, from: iso(state.now), to: null, result: null, reason: null };
    found.set(path, [...(found.get(path) ?? []), stretch]);
  };
  for (const path of busy(state)) begin(path, doing(state, path));
  for (const event of events) {
    const before = state.now;
    apply(state, event);
    // Nothing ran between the end of one host and the start of the next.
    const to = iso(event.type === 'resumed' ? before : state.now);
    for (const path of touchedBy(event) ?? new Set([...open.keys(), ...busy(state)])) {
      const [was, is] = [open.get(path), doing(state, path)];
      if (was?.key === is?.key) continue;
      if (was !== undefined) close(found.get(path), to, resultOf(state, path, event));
      begin(path, is);
    }
  }
  const steps = [...found].flatMap(([path, stretches]) =>
    stretches.length === 0 ? [] : [{ path, stretches }],
  );
  return { schema: 1, run, complete, last: state.events === 0 ? null : iso(state.now), steps };
}

/** Ends the last stretch; a wait that took no time is none. */
function close(
  stretches: Stretch[] | undefined,
  to: string,
  result: Pick<Stretch, 'result' | 'reason'>,
): void {
  const last = stretches?.pop();
  if (last === undefined) return;
  const isWait = last.kind === 'queue' || last.kind === 'pause';
  if (!isWait || last.from !== to) stretches?.push({ ...last, to, ...result });
}

function busy({ active, ready }: RunState): StepPath[] {
  return [...active, ...ready];
}

/** The steps whose phase an event can change; null: any. */
function touchedBy(event: RunEvent): readonly StepPath[] | null {
  if ('key' in event) return [event.key.path];
  if (event.type === 'readied') return event.paths;
  const isOfBody = event.type === 'opened' || event.type === 'left' || event.type === 'retried';
  return 'path' in event && !isOfBody ? [event.path] : null;
}

/** `key` changes with every new stretch. */
type Doing = Pick<Stretch, 'kind' | 'iteration' | 'attempt' | 'until' | 'provider'> & {
  readonly key: string;
};

/** What a step does now; null: nothing that takes time. */
function doing(state: RunState, path: StepPath): Doing | null {
  const run = state.steps.get(path);
  const begun = (kind: Stretch['kind'], until: number | null, provider: string | null): Doing => {
    const { iteration = 1, attempt = 0, checks = 0 } = run ?? {};
    const key = [kind, iteration, attempt, checks].join(' ');
    return { key, kind, iteration, attempt, until: isoOrNull(until), provider };
  };
  if (run === undefined || run.phase.is === 'pending')
    return state.ready.has(path) ? begun('queue', null, null) : null;
  const { phase } = run;
  switch (phase.is) {
    case 'running':
      return begun('worker', null, phase.provider);
    case 'checking':
      return begun('check', null, phase.provider);
    case 'waiting':
    case 'check-waiting':
      return begun('pause', phase.notBefore > 0 ? phase.notBefore : null, phase.provider);
    case 'asked':
      return begun('gate', phase.deadline, null);
    case 'open':
      return begun('body', null, null);
    default:
      return null;
  }
}

/** How the event that ended a stretch ended it. */
function resultOf(state: RunState, path: StepPath, event: RunEvent): Pick<Stretch, 'result' | 'reason'> {
  switch (event.type) {
    case 'ended': {
      const reason = lastFailure(state, path)?.reason.text ?? null;
      return { result: reason === null ? 'done' : 'failed', reason };
    }
    case 'checked':
      return checked(event.verdict);
    case 'judged': {
      const said = event.comment === null ? '' : `: ${event.comment}`;
      return { result: 'done', reason: `${event.choice} by ${event.by}${said}` };
    }
    case 'settled':
      return event.status === 'SUCCEEDED'
        ? { result: 'done', reason: null }
        : { result: 'failed', reason: event.reason?.text ?? null };
    case 'put-back':
    case 'resumed':
    case 'swept':
      return { result: 'stopped', reason: null };
    default:
      return { result: null, reason: null };
  }
}

function checked(verdict: Verdict): Pick<Stretch, 'result' | 'reason'> {
  switch (verdict.is) {
    case 'complete':
      return { result: 'done', reason: null };
    case 'incomplete':
      return { result: 'incomplete', reason: verdict.reasons.join('; ') || null };
    case 'summarised':
      return { result: verdict.problem === null ? 'done' : 'failed', reason: verdict.problem };
    case 'none':
      return { result: 'failed', reason: verdict.reason.text };
  }
}
