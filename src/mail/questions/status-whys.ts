import type { MailState } from '../machine/state.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import { MailExplainer } from '../machine/explain/explain.ts';
import type { MailWhy } from '../machine/explain/words.ts';
import { RunExplainer } from '../../workflow/machine/explain/explain.ts';
import type { Project } from '../../project/project.ts';
import { runCommand } from '../../workflow/runs/run-commands.ts';
import type { RunController } from '../../project/definition/contracts.ts';
import { heldReasons, noAgents } from '../../kernel/why.ts';
import { explained, isMoving } from '../../documents/explained.ts';
import { hostedMail, mailCommand } from './mail-why.ts';
import type { Subject } from './recorded-pause.ts';
import { seenWorkers } from './seen-workers.ts';
import { besideMail } from '../../workflow/runs/slots.ts';
import type { MailStatus, RoleStatus, ThreadStatus, TurnStatus } from '../../documents/status.ts';
import type { Explained } from '../../documents/common.ts';

/** The reasons of what waits; null: it moves, or nothing of it waits. */
export interface StatusWhys {
  role(name: string): Explained | null;
  thread(id: string): Explained | null;
}

export const unexplained: StatusWhys = { role: () => null, thread: () => null };

/** The number of open threads that are explained where none are chosen, the newest. */
const mostThreads = 50;

interface ToExplain {
  readonly status: MailStatus;
  readonly protocol: Protocol;
  readonly now: number;
  /** What a controller would report, where none runs. */
  readonly problems?: readonly string[];
  /** The threads that are explained; absent: the newest open ones. */
  readonly threads?: readonly ThreadStatus[];
  /** The state of the mail, called only if something waits; absent: of the journal. */
  readonly read?: () => MailState;
}

/** Explains the roles whose mail waits, the open threads in which nothing runs, and what failed. */
export function explainStatus(
  project: Project,
  { status, protocol, now, problems = [], threads: shown, read = () => project.journal.state() }: ToExplain,
): StatusWhys {
  const still = ({ state }: TurnStatus) => state === 'queued' || state === 'held';
  const waiting = new Set(status.turns.filter(still).map(({ role }) => role));
  const held = ({ name, inbox, running, standing }: RoleStatus) =>
    standing.is === 'failed' || waiting.has(name) || (inbox > 0 && running === 0 && !isHuman(protocol, name));
  const roles = new Set(status.roles.filter(held).map(({ name }) => name));
  const moving = status.turns.filter((turn) => turn.state !== 'pending' && !still(turn));
  const busy = new Set(moving.map(({ thread }) => thread));
  const waits = ({ id, state, failed }: ThreadStatus) =>
    (state === 'open' || (state !== 'closed' && failed !== null)) && !busy.has(id);
  const open = shown?.filter(waits) ?? status.threads.filter(waits).slice(-mostThreads);
  const threads = new Set(open.map(({ id }) => id));
  if (roles.size + threads.size === 0) return unexplained;
  const state = read();
  const explainer = new MailExplainer(
    state,
    protocol,
    now,
    besideMail(project.holder()),
    seenWorkers(project),
    heldReasons(
      status.turns.flatMap(({ id, held: problem }) => (problem === null ? [] : [{ work: id, problem }])),
    ),
  );
  const document = (why: MailWhy, subject: Subject) => {
    const hosted = hostedMail(why, project, { state, protocol, problems, ...subject });
    return isMoving(hosted) ? null : explained(hosted, (act) => mailCommand(state, protocol, act));
  };
  return {
    role: (name) => (roles.has(name) ? document(explainer.role(name), { role: name, thread: null }) : null),
    thread: (id) => {
      const thread = threads.has(id) ? state.threads.get(id) : undefined;
      return thread ? document(explainer.thread(thread), { role: null, thread: id }) : null;
    },
  };
}

/** The reasons of the steps of a run that wait, by their paths. */
export function explainSteps(
  { run, state, rules, slots, held }: Pick<RunController, 'run' | 'state' | 'rules' | 'slots' | 'held'>,
  now: number,
): ReadonlyMap<string, Explained> {
  const explainer = new RunExplainer(state, rules, now, slots(), noAgents, heldReasons(held()));
  const whys = [...state.active, ...state.ready].flatMap((path): (readonly [string, Explained])[] => {
    const why = explainer.step(path);
    return why === null || isMoving(why) ? [] : [[path, explained(why, (act) => runCommand(run, act))]];
  });
  return new Map(whys);
}
