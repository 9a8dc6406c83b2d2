import { iso, isoOrNull } from '../../kernel/times.ts';
import type { RunEvent } from '../machine/event.ts';
import { happenings } from '../machine/happenings.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import { statusOf } from '../machine/view.ts';
import { progressOf } from './summary.ts';
import type { RunEventDocument } from '../../documents/runs.ts';

/** The things that happen by a record. `state`: before it, and changed by this. */
export function runEventsOf(
  state: RunState,
  rules: Rules,
  { n, event }: { readonly n: number; readonly event: RunEvent },
): RunEventDocument[] {
  return happenings(state, event).news.map(({ what, level, path, reason, by, until }) => ({
    seq: n,
    at: iso(event.at),
    run: state.given?.run ?? '',
    level: level ?? 'info',
    event: what,
    stage: path ?? null,
    attempt: path === undefined ? null : (state.steps.get(path)?.attempt ?? null),
    status: path === undefined ? state.status : statusOf(state, path),
    reason: reason ?? null,
    by: by ?? null,
    until: isoOrNull(until ?? null),
    progress: progressOf(state, rules.workflow),
    cost: state.cost,
  }));
}
