import { MailroomError } from '../../kernel/errors.ts';
import { endOfId, shortCommit } from '../../kernel/ids.ts';
import type { Json } from '../../kernel/json.ts';
import { shellWord } from '../../kernel/quoting.ts';
import { peopleOf } from '../../mail/format/protocol.ts';
import { changesOf } from '../../mail/machine/landing.ts';
import { askedTitle } from '../../mail/machine/rules/questions.ts';
import type { WaitingItem } from '../../mail/questions/inbox.ts';
import { isPosition } from '../../mail/questions/positions.ts';
import { approveCommand, isUsual } from '../../workflow/runs/run-commands.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import { fits, wrongParameter } from '../../workflow/machine/parameters.ts';
import type { ValueType } from '../../workflow/model.ts';
import { rejecting } from '../../workflow/reserved.ts';
import { askFields, choose, missingFields } from '../asking.ts';
import { mayAsk, optionWords, pickWaiting, whoAnswers } from '../answering.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { numberedPath } from '../../workflow/machine/keyed-path.ts';
import { caller, control } from '../control.ts';
import { line } from '../format.ts';
import { json as documentText } from '../output.ts';
import { askRun } from '../run-control.ts';

export interface VerdictOptions {
  readonly choice?: string;
  readonly comment?: string;
  /** Of a turn: the changes that were shown. */
  readonly changes?: string;
  /** Each `name=value`. */
  readonly field?: readonly string[];
  readonly as?: string;
  readonly json?: boolean;
}

const otherwise = 'nothing was recorded';

/**
 * Grants or denies a pending approval: the named one, otherwise the only one of the run or of the
 * project.
 */
export async function judge(
  verb: 'approve' | 'reject',
  context: Context,
  run: string | null,
  gate: string | null,
  options: VerdictOptions,
): Promise<number> {
  const { comment, changes, json } = options;
  const { workflows } = context.project();
  if (run !== null && gate === null && (await answersStart(context, verb, run, options))) return 0;
  if (run !== null && gate === null && /^t\d+$/.test(run)) return judgeTurn(context, verb, run, options);
  const waiting = gate === null ? await waitingApproval(context, run, options) : null;
  if (waiting?.run === null) return judgeTurn(context, verb, waiting.id, options, waiting.changes);
  if (changes !== undefined)
    throw new MailroomError('E_USAGE', '--changes is about a turn whose work is to land, not about a gate');
  const stored = workflows.run(waiting?.run ?? (await idOf(context, run ?? '', ['run'])));
  const path =
    gate !== null
      ? numberedPath(stored.state(), gate)
      : (waiting?.id.slice(`${waiting.run ?? ''}/`.length) ?? '');
  const phase = stored.state().steps.get(path)?.phase;
  const approvers = phase?.is === 'asked' ? phase.approvers : [];
  const { strangerProblem } = await import('../../workflow/machine/approval.ts');
  const by = await whoAnswers(context, options, {
    question: 'Who approves?',
    allowed: approvers,
    people: null,
    refusal: (name) =>
      refused(
        strangerProblem({ approvers }, { verb, path, by: name }),
        commandOf(verb, [endOfId(stored.run), path], approvers, options),
      ),
  });
  const answer = await answerOf(context, stored, path, verb, options);
  const said = { ...(comment !== undefined && { comment }), by };
  return askRun(context, stored, { verb, path, ...answer, ...said }, json === undefined ? {} : { json });
}

function refused(problem: string | null, command: string): MailroomError {
  return new MailroomError(
    'E_REFUSED',
    problem ?? otherwise,
    `${otherwise}; one of them runs \`${command}\``,
  );
}

/** The command line of an answer as those who may give it write it. */
function commandOf(
  verb: string,
  target: readonly string[],
  allowed: readonly string[],
  { choice, comment, field = [] }: VerdictOptions,
): string {
  const given = [
    ...optionWords('choice', [choice]),
    ...optionWords('field', field),
    ...optionWords('comment', [comment]),
  ];
  const words = [...target, '--as', allowed.join('|'), ...given];
  return `mailroom ${verb} ${words.map(shellWord).join(' ')}`;
}

/** Answers a run that a trigger asks for; false: there is none with this id. */
async function answersStart(
  context: Context,
  verb: 'approve' | 'reject',
  run: string,
  options: VerdictOptions,
): Promise<boolean> {
  context.outsideTurn(verb);
  const { workflows } = context.project();
  const file = workflows.askedStart(run);
  if (file === null) return false;
  const { as: _as, json: asJson = false, ...others } = options;
  const unfit = Object.entries(others).find(([, value]) => value !== undefined);
  if (unfit !== undefined)
    throw new MailroomError('E_USAGE', `--${unfit[0]} says nothing to a run that a trigger asks for`);
  const by = options.as ?? caller(context);
  if (!workflows.answerStart(run, verb === 'approve' ? 'yes' : 'no', by)) return false;
  const then = verb === 'approve' ? '`mailroom up` starts it' : 'it is not started';
  if (asJson)
    context.terminal.write(documentText({ schema: 1, state: 'recorded', verb, run, path: '', host: false }));
  else context.terminal.print(`${file}: ${then}\n`);
  return true;
}

/**
 * Lets the work of a turn land, or what its agent asks for happen, or refuses that. `picked`: the
 * changes when the turn was found; null: the person has named it.
 */
async function judgeTurn(
  context: Context,
  verb: 'approve' | 'reject',
  turn: string,
  options: VerdictOptions,
  picked: string | null = null,
): Promise<number> {
  const { comment, json } = options;
  const project = context.project();
  const definition = await project.definition();
  const phase = project.journal.state().turns.get(turn)?.phase;
  const isBare = verb === 'approve' && options.changes === undefined && mayAsk(context, options);
  const changes = (isBare ? await showTurn(context, turn) : null) ?? options.changes ?? picked ?? undefined;
  const allowed = phase?.is === 'asking' ? [phase.person] : [];
  const by = await whoAnswers(context, options, {
    question: 'Who answers?',
    allowed,
    people: definition.ok ? peopleOf(definition.value.protocol) : [],
    refusal: (name) =>
      refused(`${name} was not asked, but ${allowed.join()}`, commandOf(verb, [turn], allowed, options)),
  });
  const said = { ...(comment !== undefined && { comment }), ...(changes !== undefined && { changes }) };
  const given = { ...said, by };
  return control(context, verb, turn, { ...given, ...(json === true && { json }) });
}

/** Shows a person what a turn brings onto its branch, and returns its name, or what it asks for. */
async function showTurn(context: Context, turn: string): Promise<string | null> {
  const { terminal } = context;
  const project = context.project();
  const { turns, landings } = project.journal.state();
  const phase = turns.get(turn)?.phase;
  if (phase?.is === 'asking') terminal.print(`${line(`${turn} asks for: ${askedTitle(phase.calls)}`)}\n`);
  const landing = landings.get(turn);
  const shown = landing === undefined ? null : changesOf(landing);
  if (landing === undefined || shown === null) return null;
  const { messageDifference } = await import('../../mail/questions/message-difference.ts');
  const { patch } = await messageDifference(project, turn);
  const about = `${shortCommit(landing.commit)} of ${landing.role} lands on ${landing.lands.branch}:`;
  const whole = `The whole difference: \`${context.commandLine(`show ${turn} --diff`)}\``;
  terminal.print([line(about), ...changedFiles(patch), whole, ''].join('\n'));
  return shown;
}

/** The files of a patch, each with how many lines it adds and removes. */
function changedFiles(patch: string): string[] {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff '));
  return parts.map((part) => {
    const [head = '', ...hunks] = part.split(/^(?=@@ )/m);
    const paths = [...head.matchAll(/^(?:\+\+\+ b|--- a)\/(.*)$/gm)].map(([, path = '']) => path);
    const count = (mark: RegExp) => String(hunks.join('').match(mark)?.length ?? 0);
    const path = paths.at(-1) ?? / b\/(.*)$/m.exec(head)?.[1] ?? '';
    return line(`  ${path}  +${count(/^\+/gm)} -${count(/^-/gm)}`);
  });
}

/**
 * The choice and the fields of an answer; asks a person for what is missing. Throws `E_REFUSED` for
 * an answer that does not fit, before the run is asked: nothing is recorded.
 */
async function answerOf(
  context: Context,
  stored: StoredRun,
  path: string,
  verb: 'approve' | 'reject',
  options: VerdictOptions,
): Promise<{ readonly choice: string | null; readonly fields: Record<string, Json> }> {
  const { readFields } = await import('../../mail/questions/given-fields.ts');
  const { answerProblem } = await import('../../workflow/machine/approval.ts');
  const { field = [] } = options;
  const phase = stored.state().steps.get(path)?.phase;
  if (phase?.is !== 'asked') return { choice: options.choice ?? null, fields: readFields(field, {}) };
  const isAsked = mayAsk(context, options);
  const isOpen = verb === 'approve' && options.choice === undefined && isAsked && !isUsual(phase.choices);
  const chosen = isOpen ? await choose(phase.message, phase.choices, otherwise) : options.choice;
  const choice = verb === 'reject' ? rejecting : (chosen ?? verb);
  const missing = choice === rejecting || !isAsked ? {} : missingFields(phase.fields, field);
  const asked = await askFields(missing, otherwise, fieldProblem);
  const fields = readFields([...field, ...asked], phase.fields);
  const problem = answerProblem(phase, { choice, fields });
  if (problem === null) return { choice: chosen ?? null, fields };
  const command = approveCommand(stored.run, path, phase);
  throw new MailroomError('E_REFUSED', `${path}: ${problem}`, `answer with \`${command}\``);
}

function fieldProblem(name: string, value: Json, type: ValueType): string | null {
  return fits(value, type) ? null : wrongParameter(name, JSON.stringify(value), type, 'field');
}

/**
 * The pending approval when none is named. Throws `E_TARGET` with the list if there is none or more
 * than one.
 */
async function waitingApproval(
  context: Context,
  word: string | null,
  options: VerdictOptions,
): Promise<WaitingItem> {
  const { approvalsOf, isPerson, landingItems, questionItems, readInbox } =
    await import('../../mail/questions/inbox.ts');
  const project = context.project();
  const { workflows } = project;
  const as = options.as ?? null;
  if (word !== null && isPosition(word)) {
    const role = as !== null && (await isPerson(project, as)) ? as : null;
    const { items } = await readInbox(project, role);
    return pickWaiting(context, items, ['approval'], word, options);
  }
  const run = word === null ? null : workflows.run(word).run;
  const { runs } = await workflows.status(project.holder());
  const gates = approvalsOf(
    runs.filter((each) => run === null || each.run === run),
    as,
  );
  const state = project.journal.state();
  const ofTurns = run === null && state !== null ? [...landingItems(state), ...questionItems(state, as)] : [];
  return pickWaiting(context, [...gates, ...ofTurns], ['approval'], null, options);
}
