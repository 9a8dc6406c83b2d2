import { endOfId } from '../kernel/ids.ts';
import { userInfo } from 'node:os';
import { MailroomError } from '../kernel/errors.ts';
import type { Asked } from '../mail/questions/requests.ts';
import type { Context } from './context.ts';
import { short } from './format.ts';
import { workflowForRun } from '../workflow/runs/workflow-for-run.ts';
import { idOf } from './ids.ts';
import { answer, type AsJson } from './output.ts';
import type { Project } from '../project/project.ts';
import type { CommandResult } from '../documents/mail.ts';

type Verb = Asked['verb'];
type Target = Asked['target'];

/**
 * Sends the controller a command for the target that a word names, waits for its verdict and prints
 * it. Exit code 0: done, or recorded for the next start; 1: refused.
 */
export async function control(
  context: Context,
  verb: Verb,
  word: string,
  options: AsJson & {
    readonly now?: boolean;
    readonly comment?: string;
    readonly changes?: string;
    /** Who gives it; absent: the caller. */
    readonly by?: string;
  },
): Promise<number> {
  context.outsideTurn(verb);
  const { ask, targetsOf } = await import('../mail/questions/requests.ts');
  const { terminal } = context;
  const project = context.project();
  context.announce();
  const verdicts: CommandResult[] = [];
  const id = await idOf(context, word, ['thread']);
  const targets = await targetsOf(project, verb, id, othersOf(verb, project)).catch((error: unknown) => {
    throw workflowForRun(id, project.workflows.runs()) ?? error;
  });
  for (const target of targets) {
    const { now, json: _json, by = caller(context), ...said } = options;
    const asked = { verb, target, now: now === true, by, ...said };
    verdicts.push(await ask(project, asked, terminal.now));
  }
  const refused = verdicts.find(({ state }) => state === 'refused');
  if (refused)
    throw new MailroomError('E_REFUSED', `${commandWords(refused)}: ${refused.reason ?? 'no reason given'}`);
  return answer(terminal, options, oneDocument(verdicts), () => verdicts.map(inWords));
}

/** Every verb also works on runs; an existing run would have been found before. */
function othersOf(
  verb: Verb,
  { workflows }: Project,
): { words: readonly string[]; names: readonly string[] } {
  const words = verb === 'retry' ? ['a run and its step'] : ['a run'];
  return { words, names: workflows.runs().map(({ run }) => endOfId(run)) };
}

/** Who gives a command, for the journal: a record, not authentication. */
export function caller({ call }: Context): string {
  const said = call.environment['MAILROOM_USER'] ?? '';
  if (said !== '') return said;
  try {
    return userInfo().username;
  } catch {
    return 'user';
  }
}

/** One verdict unchanged; several as the first with all their targets. */
function oneDocument(verdicts: readonly CommandResult[]): object {
  const [first] = verdicts;
  return { ...first, targets: verdicts.map(({ target }) => target) };
}

function inWords(verdict: CommandResult): string {
  if (verdict.state === 'done') return `${commandWords(verdict)}: done`;
  const when = verdict.controller
    ? 'recorded; the controller has not read it yet'
    : 'recorded, takes effect at the next `mailroom up`';
  return `${commandWords(verdict)}: ${when}`;
}

function commandWords({ verb, target }: CommandResult): string {
  return `${verb} ${named(target)}`;
}

function named(target: Target): string {
  switch (target.kind) {
    case 'all':
      return 'everything';
    case 'role':
      return target.role;
    case 'thread':
      return `thread ${short(target.thread)}`;
    case 'turn':
      return target.turn;
    case 'letter':
      return `${target.name} for ${target.role}`;
    default:
      return target satisfies never;
  }
}
