import type { Command } from '../machine/event.ts';
import { fileName } from '../format/message.ts';
import { waitsForPerson } from '../machine/rules/work.ts';
import type { MailState } from '../machine/state.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { ControlFile } from '../../letters/letters.ts';
import { resolve } from './directory.ts';
import { allMessages } from './messages.ts';
import { patience, waitFor } from '../../workflow/runs/waiting.ts';
import type { Project } from '../../project/project.ts';
import type { Directory, NamedAs, NamedKind } from '../../workflow/runs/targets.ts';
import { endOfId, type RoleName } from '../../kernel/ids.ts';
import type { Target } from '../../letters/target.ts';
import type { CommandResult } from '../../documents/mail.ts';

type Takes = Exclude<NamedKind, 'run'>;

const takes: Readonly<Record<Command['verb'], readonly Takes[]>> = {
  pause: ['role', 'thread', 'all'],
  unpause: ['role', 'thread', 'all'],
  cancel: ['turn', 'thread'],
  retry: ['message'],
  approve: ['turn'],
  reject: ['turn'],
};

/**
 * The targets of a command that a word names; a message may have failed for several roles. Throws
 * `E_TARGET`; `others`: what else the command accepts, for its hint.
 */
export async function targetsOf(
  project: Project,
  verb: Command['verb'],
  word: string,
  others?: Directory['others'],
): Promise<ControlFile['target'][]> {
  const state = project.journal.state();
  if (verb === 'cancel' && isOver(state, word))
    throw new MailroomError('E_REFUSED', `turn ${word} is over: it is too late to cancel it`);
  const roles = takes[verb].includes('role') ? await definedRoles(project) : [];
  const named = resolve(project, state, word, takes[verb], others, roles);
  return named.kind === 'message' ? failedCopies(project, state, named.message) : [targetOf(named)];
}

/** Before the first start only the protocol has the roles; an unreadable one has none. */
async function definedRoles(project: Project): Promise<RoleName[]> {
  const definition = await project.definition();
  return definition.ok ? [...definition.value.protocol.roles.keys()] : [];
}

/** Whether a word names a past turn. */
function isOver(state: MailState, word: string): boolean {
  const number = /^t([1-9]\d*)$/.exec(word)?.[1];
  return number !== undefined && Number(number) <= state.lastTurn && !state.turns.has(word);
}

function targetOf(named: NamedAs<Exclude<Takes, 'message'>>): Target {
  return named;
}

/** The copies of a message that failed, that a person withdrew, or whose turn waits for one. */
function failedCopies(project: Project, state: MailState, id: string): ControlFile['target'][] {
  const known = allMessages(project, state).find(({ message }) => message.id === id);
  if (!known) throw new MailroomError('E_TARGET', `there is no message ${id}`);
  const name = fileName(known.message);
  const dead = project
    .roles()
    .filter(
      (role) =>
        known.mail?.deliveries.get(role)?.at === 'withdrawn' ||
        waitsForPerson(state, known.mail?.deliveries.get(role)) ||
        project.mail(role, 'failed').some((file) => file.name === name),
    );
  if (dead.length === 0)
    throw new MailroomError(
      'E_REFUSED',
      `message ${id} has not failed: it is in no failed/ folder, and what waits or is done cannot be retried`,
      `\`mailroom show ${endOfId(id)}\` shows where it is`,
    );
  return dead.map((role) => ({ kind: 'letter', role, name }) as const);
}

export interface Asked {
  readonly verb: Command['verb'];
  readonly target: ControlFile['target'];
  readonly now: boolean;
  readonly by: string;
  /** Of `approve` and `reject`. */
  readonly comment?: string;
  /** Of `approve` and `reject`: the changes that were shown. */
  readonly changes?: string;
}

/**
 * Sends a command to the controller and waits for its verdict. A command with the `id` of an
 * earlier one has been sent, and gets that one's verdict.
 */
export async function ask(
  project: Project,
  asked: Asked,
  clock: () => number,
  id = project.newId(),
): Promise<CommandResult> {
  const file: ControlFile = {
    id,
    at: clock(),
    ...asked,
    comment: asked.comment ?? null,
    changes: asked.changes ?? null,
  };
  const controller = project.holder() !== null;
  if (project.journal.verdict(id) === undefined) project.request({ ...file });
  const { verb, target } = asked;
  const verdict = controller
    ? await waitFor(project, clock, patience, () => project.journal.verdict(id))
    : undefined;
  if (verdict === undefined) return { schema: 1, state: 'recorded', verb, target, reason: null, controller };
  const state = verdict.refusal === null ? 'done' : 'refused';
  return { schema: 1, state, verb, target, reason: verdict.refusal, controller };
}
