import { through, type Why, type WhyCode } from '../kernel/why.ts';
import { iso, isoOrNull } from '../kernel/times.ts';
import type { Explained } from './common.ts';

/** What only a host does: start, stop and record. */
export type HostAct = { readonly do: 'command'; readonly command: string };

const moving: ReadonlySet<WhyCode> = new Set(['running', 'checking', 'landing', 'due']);

/** Whether it is not held at all. */
export function isMoving({ code }: Pick<Explained, 'code'>): boolean {
  return moving.has(code);
}

/** What moves only with a host, while none is there. */
export function withoutHost<Act>(why: Why<Act>, problem: string, command: string): Why<Act | HostAct> {
  const inner = isMoving(why) ? null : why;
  return {
    ...through('host_not_running', problem, inner),
    cause: inner?.cause ?? null,
    until: null,
    act: { do: 'command', command },
  };
}

/** The same with the command that looks at this machine, where that is what holds it. */
export function withDoctor<Act>(why: Why<Act>): Why<Act | HostAct> {
  if (why.code !== 'host_problem') return why;
  return { ...why, act: { do: 'command', command: 'mailroom doctor' } };
}

/** The explanation as a document; `commandOf` completes the command. */
export function explained<Act>(why: Why<Act>, commandOf: (act: Act) => string | null): Explained {
  const { reason, code, cause, until, act } = why;
  return {
    reason,
    code,
    cause: cause && { record: cause.record, at: iso(cause.at) },
    until: isoOrNull(until),
    command: act === null ? null : commandOf(act),
  };
}
