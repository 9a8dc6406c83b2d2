import { v4, v7 } from 'uuid';
import type { BeginOptions, ResumeOptions, RunController } from '../../project/definition/contracts.ts';
import type { Budget } from '../../kernel/cost.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { currencyName } from '../../kernel/money.ts';
import type { Json } from '../../kernel/json.ts';
import type { RunStart, Happening } from '../machine/event.ts';
import { weakness } from '../../kernel/mask.ts';
import { secretsHere, secretsOf, startContext } from '../machine/run-start.ts';
import type { Workflow } from '../model.ts';
import { refusal } from '../machine/commands.ts';
import { branchProblem } from '../machine/branch.ts';
import { headBranch } from '../../git/head-branch.ts';
import { editedLimits, editOf, updated } from '../machine/resumption.ts';
import { compile } from '../machine/rules.ts';
import { runEventsOf } from '../../project/definition/hooks.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import { happeningOf, type RunControlFile } from '../host/commands.ts';
import type { RunHost } from '../host/run-host.ts';
import { buildEnvironment } from '../../process/sandbox/environment.ts';
import { keepProgramsOutOf } from '../../process/sandbox/own-programs.ts';
import type { Disk } from '../../disk/disk.ts';
import { checkRecords } from '../files/record-files.ts';
import { createRun, discardUncreated, replaceDefinition, type StoredRun } from '../files/run-folders.ts';
import { composeRun, formatOf, type Composed, type Origin, type RunSettings } from './compose.ts';
import { whereItLies } from '../files/context-holder.ts';
import { locked, lockRun, orReleased, type Waiting } from './locked-run.ts';
import { checkpointOf, endsRolledBack } from '../host/rollback-port.ts';
import { expectBegun } from '../host/run-state.ts';
import { ownValue } from '../../kernel/own.ts';
import { makeProjectFolder } from '../../host/project-folder.ts';
import { openRoot } from '../../disk/roots.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/**
 * Starts a run: its locks, its folder, its first event. Throws `E_LOCKED` when its context folder
 * is in use.
 */
export async function beginRun(
  disk: Disk,
  settings: RunSettings,
  options: BeginOptions,
  origin: Origin,
): Promise<RunController> {
  const run = origin.run ?? options.run ?? (options.definition.ownWorkspace === null ? v7() : v4());
  try {
    return await beginLocked(disk, settings, options, { ...origin, run });
  } catch (error) {
    discardUncreated(disk, run);
    throw error;
  }
}

async function beginLocked(
  disk: Disk,
  settings: RunSettings,
  options: BeginOptions,
  origin: Origin & { readonly run: string },
): Promise<RunController> {
  const { definition, workspace, workflow, watch } = options;
  refuseStart(options, settings);
  const env = buildEnvironment({ inherit: definition.inherit });
  const context = contextAtStart(definition, options, env);
  if (definition.ownWorkspace !== null) makeProjectFolder(workspace);
  const card = {
    run: origin.run,
    workflow: definition.name,
    workspace,
    source: workflow.path,
    startedBy: origin.by,
    person: options.person ?? null,
    startedAt: Date.now(),
  } as const;
  const folder = { run: card.run, definition, workspace };
  const wait: Waiting = {
    source: card.source,
    // A trigger asks only once. Without `waits` the caller gets `E_LOCKED` at once.
    waits: origin.by === 'up' || (letsWait(definition) && options.waits !== undefined),
    by: origin.by,
    begins: () => void createRun(disk, card, definition, workflow.text),
    report: options.waits ?? (() => {}),
    signal: origin.signal ?? null,
  };
  return locked(disk, folder, wait, async (lock, run, cancelled) => {
    const own = run.definition;
    // The branch and the workspace may have changed while it waited.
    refuseBranch(own, workspace);
    const checkpoint = await checkpointOf(own, workspace, options.only);
    if (own.byEvents) await announce(disk, settings, card.run, options);
    createRun(disk, { ...card, startedAt: Date.now() }, own, workflow.text);
    const composed = await composeRun(disk, settings, run, { watch, lock, origin, isNew: true });
    return starting(composed, (host) => {
      const given = {
        run: card.run,
        workflow: own.name,
        version: own.version,
        language: own.language,
        parameters: options.parameters,
        context,
        trigger: origin.trigger,
        env,
        budget: options.budget,
        currency: countedIn(currencyOf(settings), options.budget),
        checkpoint,
        timeout: own.timeout,
        only: options.only,
      };
      host.begin(given, cancelled === null ? [] : [happeningOf(cancelled)]);
      options.request?.begun();
    });
  });
}

/** Resumes a run. Throws `E_LOCKED` when a process hosts it already. */
export async function resumeRun(
  disk: Disk,
  settings: RunSettings,
  stored: Pick<StoredRun, 'run' | 'definition' | 'text' | 'workspace' | 'card'>,
  { watch, command, edited = null, waits = () => {} }: ResumeOptions,
  origin: Origin,
): Promise<RunController> {
  const begun = edited === null ? stored : { ...stored, definition: edited.workflow };
  keepProgramsOutOf(begun.workspace);
  refuseUnsetSecrets(begun.definition, settings);
  const { records } = await formatOf(begun.definition, settings);
  if (records) checkRecords(openRoot, begun, records);
  const wait: Waiting = {
    source: stored.card.source,
    waits: origin.by === 'up' || letsWait(begun.definition),
    by: origin.by,
    begins: () => {},
    report: waits,
    signal: origin.signal ?? null,
  };
  return locked(disk, begun, wait, async (lock, run, cancelled) => {
    const composed = await composeRun(disk, settings, run, { watch, lock, origin, isNew: false });
    return starting(composed, (host) => {
      const { given } = expectBegun(run.run, host.state);
      if (endsRolledBack(host)) return;
      // A person resumes an ended run; `up` only does what its end left undone.
      if (origin.by === 'up' && host.state.endedAt !== null) return void host.finish();
      const updates: Happening[] =
        edited === null || given === null
          ? []
          : [
              updated(
                editOf(host.state, compile(stored.definition), host.rules),
                editedLimits(given, stored.definition, edited.workflow),
              ),
            ];
      const commands = [command, cancelled].filter((each) => each !== null);
      host.resume(origin.by, [...updates, ...commands.map(happeningOf)]);
      // Not earlier: a crash in between must not lose which steps the edit makes run again.
      if (run.definition !== stored.definition)
        replaceDefinition(disk, run.run, { workflow: run.definition, text: edited?.text ?? stored.text });
    });
  });
}

function letsWait({ runs }: Workflow): boolean {
  return runs !== undefined && runs.otherwise !== 'refuse';
}

function refuseStart(options: BeginOptions, settings: RunSettings): void {
  const { definition, workspace } = options;
  keepProgramsOutOf(workspace);
  refuseUnsetSecrets(definition, settings);
  if (options.budget.units !== undefined && currencyOf(settings) === null)
    throw new MailroomError('E_USAGE', `no extension counts ${currencyName}, so it cannot limit a run`);
  refuseBranch(definition, workspace);
  refuseGivenSecrets(definition, options, settings);
}

async function announce(
  disk: Disk,
  { config, hooks }: RunSettings,
  run: string,
  { workflow, parameters, budget, definition, request }: BeginOptions,
): Promise<void> {
  const { timeout } = definition;
  const events = await runEventsOf(hooks);
  if (events === null)
    throw new MailroomError('E_WORKFLOW', 'no extension announces runs of workflows that are events');
  await events.admit(disk, config, { run, workflow, parameters, budget, timeout, request });
}

/** What a run counts besides dollars and tokens; null: it has no use for it. */
function countedIn(currency: RunStart['currency'], { units }: Budget): RunStart['currency'] {
  return units === undefined && currency?.perUsd === null ? null : currency;
}

/** What runs count besides dollars and tokens; null: no extension does. */
function currencyOf({ config, hooks }: RunSettings): RunStart['currency'] {
  return hooks.flatMap((each) => each.currency?.(config) ?? [])[0] ?? null;
}

/** As `startContext`. Throws `ProblemsError`, like every error before the start. */
function contextAtStart(
  definition: Workflow,
  { context, parameters }: BeginOptions,
  env: Readonly<Record<string, string>>,
): Record<string, Json> {
  try {
    return startContext(definition, { context, parameters, env });
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const { code, message, hint } = error;
    throw new ProblemsError([{ code, severity: 'error', message, place: null, hint }]);
  }
}

function refuseBranch({ branch }: Workflow, workspace: string): void {
  if (branch === undefined || branch.after !== null) return;
  const problem = branchProblem(branch, headBranch(workspace));
  if (problem === null) return;
  const name = branch.expected.find((glob) => /^[\w./-]+$/.test(glob));
  const command = name === undefined ? 'git switch -c NAME' : `git switch ${name}`;
  const hint = `switch to another branch: \`${command}\`, then run it again`;
  throw new MailroomError(problem.code, problem.text, hint);
}

function refuseUnsetSecrets(definition: Workflow, { environment }: RunSettings): void {
  const unset = secretsHere(definition).filter((name) => ownValue(environment, name) === undefined);
  if (unset.length === 0) return;
  const names = unset.map((name) => `\`${name}\``).join(', ');
  throw new MailroomError('E_USAGE', `the workflow needs ${names}, and the environment does not have it`);
}

/**
 * A secret among the values of a run would be written to disk, and could become an argument of a
 * program. A weak one may be an ordinary word, so it is allowed.
 */
function refuseGivenSecrets(
  definition: Workflow,
  { context, parameters }: BeginOptions,
  { environment }: RunSettings,
): void {
  const secrets = secretsOf(definition).filter(
    (name) => weakness(ownValue(environment, name) ?? '') === null,
  );
  for (const [kind, values] of Object.entries({ context, parameters }))
    for (const [name, value] of Object.entries(values)) {
      const secret = secrets.find((each) => textsIn(value).some((text) => text.includes(environment[each]!)));
      if (secret === undefined) continue;
      throw new MailroomError(
        'E_USAGE',
        `\`${kind}.${name}\` holds the secret \`${secret}\`, and secrets reach a program by its environment only`,
        `the program finds it in its variable \`${secret}\``,
      );
    }
}

function textsIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap((each) => textsIn(each));
}

/**
 * Cancels a run without a host, and returns when it has ended: starts no step, ends processes that
 * an earlier host left running, and leaves its artifacts in place. Throws `E_LOCKED` when a process
 * hosts it after all, `E_REFUSED` when it has ended already.
 */
export async function cancelRun(
  disk: Disk,
  settings: RunSettings,
  stored: RunFolder,
  command: RunControlFile,
  origin: Origin,
): Promise<void> {
  const run = whereItLies(disk, openRoot, stored);
  keepProgramsOutOf(run.workspace);
  const { lock } = await lockRun(disk, run, null);
  const controller = await orReleased(lock, async () => {
    const context = { watch: () => {}, lock, origin, isNew: false };
    return starting(await composeRun(disk, settings, run, context), (host) => {
      const reason = refusal(expectBegun(run.run, host.state), host.rules, command);
      if (reason !== null) throw new MailroomError(reason.code, reason.text);
      host.resume(origin.by, [happeningOf(command)]);
    });
  });
  await controller.follow();
}

/** Gives the host its first events; on failure, closes everything opened for it. */
async function starting(
  { host, controller, release }: Composed,
  begin: (host: RunHost) => void | Promise<void>,
): Promise<RunController> {
  try {
    await begin(host);
    return controller;
  } catch (error) {
    await release();
    throw error;
  }
}
