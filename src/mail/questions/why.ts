import { endOfId, type ThreadId, type RoleName } from '../../kernel/ids.ts';
import { because, type WhyCode } from '../../kernel/why.ts';
import type { Protocol } from '../format/protocol.ts';
import { failedTurn } from '../machine/explain/failed.ts';
import type { MailExplainer } from '../machine/explain/explain.ts';
import type { MailWhy } from '../machine/explain/words.ts';
import type { MailState, Thread } from '../machine/state.ts';
import { RunExplainer } from '../../workflow/machine/explain/explain.ts';
import { compile } from '../../workflow/machine/rules.ts';
import { statusOf as stepStatus } from '../../workflow/machine/view.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { resolve } from './directory.ts';
import { summaryOf } from '../controller/mail-summary.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import { resumeCommand, runCommand } from '../../workflow/runs/run-commands.ts';
import { waitingWhy } from '../../workflow/runs/run-status.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import { stemOf } from '../../project/definition/find-workflow.ts';
import {
  expectedStep,
  noRun,
  workflowForRun,
  workflowWithoutRuns,
} from '../../workflow/runs/workflow-for-run.ts';
import type { Project } from '../../project/project.ts';
import { shownTurn, statusOf } from './status.ts';
import { statusWithoutHost } from '../../documents/standing.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import type { Named } from '../../workflow/runs/targets.ts';
import { unhostedProblems } from './unhosted.ts';
import { explained, withDoctor, withoutHost } from '../../documents/explained.ts';
import { hostedMail, mailCommand } from './mail-why.ts';
import { numberedPath } from '../../workflow/machine/keyed-path.ts';
import { heldSteps, mailExplainer } from './held.ts';
import { withRecordedPause } from './recorded-pause.ts';
import { slotsOfRun, type RunSlots } from '../../workflow/runs/slots.ts';
import type { WhyDocument, SubThreadWhy } from '../../documents/mail.ts';
import type { TriggerStatus } from '../../documents/status.ts';

/** Explains what a word names. Throws `E_TARGET`, and the problems of the protocol. */
export async function why(project: Project, word: string, now: number): Promise<WhyDocument> {
  try {
    return await whyRecord(project, word, now);
  } catch (error) {
    const isUnknown = error instanceof MailroomError && error.code === 'E_TARGET';
    const trigger = isUnknown ? await triggerNamed(project, word) : null;
    if (trigger === null) throw error;
    return whyTrigger(trigger);
  }
}

/** A trigger by its name, or by `workflow/name`; null: none. Throws `E_TARGET` for several. */
async function triggerNamed(project: Project, word: string): Promise<TriggerStatus | null> {
  const { triggers } = await project.workflows.status(project.holder());
  const called = (each: TriggerStatus): string => `${stemOf(each.workflow)}/${each.name}`;
  const named = triggers.filter((each) => [each.name, called(each)].includes(word));
  if (named.length > 1)
    throw new MailroomError(
      'E_TARGET',
      `${String(named.length)} workflows have a trigger \`${word}\``,
      `name one of them: ${named.map((each) => `\`${called(each)}\``).join(', ')}`,
    );
  return named[0] ?? null;
}

function whyTrigger(trigger: TriggerStatus): WhyDocument {
  const { workflow, name, active, waiting, last } = trigger;
  const state = !active ? 'not active' : waiting ? 'waiting' : 'active';
  const cause = waiting && last?.at != null ? { record: last.run, at: last.at } : null;
  const rest = { cause, until: trigger.cools_until ?? trigger.next, command: null, sub_threads: [] };
  return { schema: 1, target: `${stemOf(workflow)}/${name}`, state, ...reasonOf(trigger), ...rest };
}

function reasonOf({ why: inactive, waiting, next, cools_until: cools }: TriggerStatus): {
  readonly code: WhyCode;
  readonly reason: string;
} {
  if (inactive !== null) return { code: 'not_active', reason: `the trigger starts nothing: ${inactive}` };
  if (cools !== null) return { code: 'cooldown', reason: 'its request waits for the end of the cooldown' };
  if (waiting) return { code: 'other_run', reason: 'its request waits until the run in progress has ended' };
  return {
    code: 'no_event',
    reason: `the trigger waits for ${next === null ? 'what it looks for' : 'its time'}`,
  };
}

async function whyRecord(project: Project, word: string, now: number): Promise<WhyDocument> {
  const { workflows } = project;
  const [reference = '', ...path] = word.split('/');
  const waiting = workflows.waiting(reference);
  if (waiting !== null) {
    const own = explained(waitingWhy(waiting.since, waiting.waits), () => null);
    return { schema: 1, target: waiting.card.run, state: 'waiting', ...own, sub_threads: [] };
  }
  const run = workflows.find(path.length > 0 ? reference : word);
  if (run === null && path.length > 0) throw (await notNamed(project, word)) ?? noRun(reference);
  const definition = await project.definition();
  if (run !== null) {
    const config = definition.ok ? definition.value.config : null;
    return await whyRun(project, run, path.join('/'), now, slotsOfRun(run.run, project.holder(), config));
  }
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const { protocol } = definition.value;
  const state = project.journal.state();
  const named = await namedIn(project, state, protocol, word);
  const explainer = mailExplainer(project, state, protocol, now);
  const { target, ...found } = whyMail(project.holder(), state, explainer, named);
  const role = named.kind === 'role' ? named.role : null;
  const thread = threadOf(state, named);
  const hosted = hostedMail(found.why, project, {
    state,
    protocol,
    role,
    thread,
    unhosted: () => unhostedProblems(project, definition.value),
  });
  const own = role === null ? found.state : roleState(project, state, protocol, role, now);
  const children = subThreads(state, explainer, { thread, role }, (inner, child) =>
    hostedMail(inner, project, { state, protocol, role: null, thread: child }),
  );
  const reasons = explained(hosted, (act) => mailCommand(state, protocol, act));
  return { schema: 1, target, state: own, ...reasons, sub_threads: children };
}

async function whyRun(
  project: Project,
  stored: StoredRun,
  word: string,
  now: number,
  { slots, others }: RunSlots,
): Promise<WhyDocument> {
  const state = stored.state();
  const path = numberedPath(state, word);
  const rules = compile(stored.definition);
  const isLeft = state.endedAt === null && !(await stored.alive());
  const holds = isLeft || state.endedAt !== null ? undefined : heldSteps(project, stored.run);
  const explainer = new RunExplainer(state, rules, now, slots, others, holds);
  const own = path === '' ? explainer.run() : explainer.step(path);
  if (own === null)
    throw new MailroomError(
      'E_TARGET',
      `the run ${endOfId(stored.run)} has no step \`${path}\``,
      `\`mailroom show ${endOfId(stored.run)}\` lists its steps`,
    );
  const held = isLeft ? withRecordedPause(project, stored.run, own) : own;
  const hosted = isLeft
    ? withoutHost(held, 'no process hosts the run', resumeCommand(stored.card))
    : withDoctor(own);
  return {
    schema: 1,
    target: path === '' ? stored.run : `${stored.run}/${path}`,
    state: isLeft ? leftState(state, path) : path === '' ? state.status : stepStatus(state, path),
    ...explained(hosted, (act) => (act.do === 'command' ? act.command : runCommand(stored.run, act))),
    sub_threads: [],
  };
}

function leftState(state: Parameters<typeof stepStatus>[0], path: string): string {
  return path === '' ? 'stopped' : statusWithoutHost(stepStatus(state, path));
}

async function namedIn(
  project: Project,
  state: MailState,
  protocol: Protocol,
  word: string,
): Promise<Explainable> {
  const turn = /^t([1-9]\d*)$/.exec(word)?.[1];
  // An ended turn is in no list any more.
  if (turn !== undefined && Number(turn) <= state.lastTurn) return { kind: 'turn', turn: word };
  const runs = project.workflows.runs();
  const others = {
    words: ['a run', 'a step (`<run>/<step>`)', 'a trigger'],
    names: runs.map(({ run }) => endOfId(run)),
  };
  const kinds = ['role', 'turn', 'thread', 'message'] as const;
  try {
    return resolve(project, state, word, kinds, others, [...protocol.roles.keys()]);
  } catch (error) {
    throw (await notNamed(project, word)) ?? error;
  }
}

/** The error where a word is a workflow, or a step of the newest run; null: it is neither. */
async function notNamed({ workflows }: Project, word: string): Promise<MailroomError | null> {
  const [newest] = workflows.runs();
  const run = newest && workflows.find(newest.run);
  if (run && compile(run.definition).root.steps.has(word.split('/')[0] ?? ''))
    return expectedStep(word, run.run);
  const ofRun = workflowForRun(word, workflows.runs());
  if (ofRun !== null) return ofRun;
  const isWorkflow = workflows.list().includes(word) || (await workflows.isWorkflow(word));
  return isWorkflow ? workflowWithoutRuns(word) : null;
}

/** What the mail can explain: everything with a name but all of it together. */
type Explainable = Exclude<Named, { kind: 'all' | 'run' }>;

interface Found {
  readonly target: string;
  readonly state: string;
  readonly why: MailWhy;
}

function whyMail(
  holder: ProjectHolder | null,
  state: MailState,
  explainer: MailExplainer,
  named: Explainable,
): Found {
  switch (named.kind) {
    case 'role':
      return { target: named.role, state: '', why: explainer.role(named.role) };
    case 'turn': {
      const turn = state.turns.get(named.turn);
      if (turn)
        return { target: turn.id, state: shownTurn(holder, state, turn).state, why: explainer.turn(turn) };
      const ended = because<never>('handled', `turn ${named.turn} has ended`);
      const failed = failedTurn(state, named.turn);
      return { target: named.turn, state: failed === null ? 'ended' : 'failed', why: failed ?? ended };
    }
    case 'thread':
      return whyThread(state, explainer, named.thread);
    case 'message': {
      const mail = state.mail.get(named.message);
      const own = mail && explainer.message(mail);
      // A thread has the ID of its first message, which is handled long before the thread ends.
      if (!own || (own.code === 'handled' && state.threads.has(named.message)))
        return whyThread(state, explainer, named.message);
      const copies = [...mail.deliveries.values()].map(({ at }) => at);
      return { target: named.message, state: [...new Set(copies)].join(', '), why: own };
    }
    default:
      return named satisfies never;
  }
}

function whyThread(state: MailState, explainer: MailExplainer, id: string): Found {
  const thread = state.threads.get(id);
  const past = because<never>('closed', 'its thread ended long ago, and only its files are left');
  return { target: id, state: thread?.state ?? 'closed', why: thread ? explainer.thread(thread) : past };
}

/** The thread of what is named; null: a role. */
function threadOf(state: MailState, named: Explainable): ThreadId | null {
  switch (named.kind) {
    case 'role':
      return null;
    case 'turn':
      return state.turns.get(named.turn)?.thread ?? null;
    case 'thread':
      return named.thread;
    case 'message':
      return state.mail.get(named.message)?.message.thread ?? named.message;
    default:
      return named satisfies never;
  }
}

/** The state of a role as `status` prints it. */
function roleState(
  project: Project,
  state: MailState,
  protocol: Protocol,
  name: string,
  now: number,
): string {
  const { roles } = statusOf(summaryOf(state), { holder: project.holder(), protocol, now });
  return roles.find((role) => role.name === name)?.state ?? 'idle';
}

/** The open sub-threads of a thread, or of all threads in which a role waits for them. */
function subThreads(
  state: MailState,
  explainer: MailExplainer,
  of: { readonly thread: ThreadId | null; readonly role: RoleName | null },
  hosted: (one: MailWhy, thread: ThreadId) => { readonly reason: string },
): SubThreadWhy[] {
  const waits = of.role === null ? [] : [...state.waits.values()].filter(({ role }) => role === of.role);
  const ids = of.thread === null ? waits.flatMap(({ requests }) => requests) : childrenOf(state, of.thread);
  return ids
    .flatMap((id) => state.threads.get(id) ?? [])
    .filter(isOpenChild)
    .map((thread) => ({
      thread: thread.id,
      subject: thread.subject,
      reason: hosted(explainer.thread(thread), thread.id).reason,
      command: `mailroom why ${endOfId(thread.id)}`,
    }));
}

function childrenOf({ threads }: MailState, id: ThreadId): readonly ThreadId[] {
  return threads.get(id)?.children ?? [];
}

function isOpenChild({ parent, state }: Thread): boolean {
  return parent !== null && state === 'open';
}
