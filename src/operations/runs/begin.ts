import process from 'node:process';
import { v4, v7 } from 'uuid';
import type { BeginOptions, ResumeOptions, RunController } from './services.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { NipSettings } from '../../config/config.ts';
import type { RunStart, Happening } from '../../workflow/machine/event.ts';
import { weakness } from '../../kernel/mask.ts';
import { secretsOf, startContext } from '../../workflow/machine/run-start.ts';
import type { Workflow } from '../../workflow/model.ts';
import { refusal } from '../../workflow/machine/commands.ts';
import { branchProblem } from '../../workflow/machine/branch.ts';
import { headBranch } from '../../git/head-branch.ts';
import { changesOf, editedLimits } from '../../workflow/machine/resumption.ts';
import { compile } from '../../workflow/machine/rules.ts';
import { ProblemsError } from '../problems.ts';
import { happeningOf, type RunControlFile } from '../../workflow/host/commands.ts';
import type { RunHost } from '../../workflow/host/run-host.ts';
import { buildEnvironment } from '../../process/sandbox/environment.ts';
import { keepProgramsOutOf } from '../../process/sandbox/own-programs.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { contextFolderOf, takeContext, whereItLies } from '../../workflow/files/context-holder.ts';
import { checkRecords } from '../../workflow/files/record-files.ts';
import { createRun, replaceDefinition, type StoredRun } from '../../workflow/files/run-folders.ts';
import type { HostLock, Lock } from '../../host/lock.ts';
import { refuseTrackedState } from '../../host/tracked.ts';
import { clearState } from '../../host/state-places.ts';
import { composeRun, formatOf, type Composed, type Origin, type RunSettings } from './compose.ts';
import { takeRun } from '../../workflow/host/locks.ts';
import { checkpointOf, endsRolledBack } from '../../workflow/host/rollback-port.ts';
import { expectBegun } from '../../workflow/host/run-state.ts';
import type { Budget } from '../../kernel/cost.ts';
import { makeProjectFolder } from '../../host/project-folder.ts';
import { openRoot } from '../../disk/roots.ts';
import type { RunFolder } from '../../workflow/machine/run-folder.ts';

/**
 * Starts a run: its locks, its folder, its first event. Throws `E_LOCKED` when its context folder
 * is in use.
 */
export async function beginRun(
  disk: RealDisk,
  settings: RunSettings,
  options: BeginOptions,
  origin: Origin,
): Promise<RunController> {
  const { definition, workspace, workflow, watch } = options;
  keepProgramsOutOf(workspace);
  refuseUnsetSecrets(definition);
  refuseBranch(definition, workspace);
  refuseGivenSecrets(definition, options);
  const env = buildEnvironment({ inherit: definition.inherit });
  const context = contextAtStart(definition, options, env);
  if (definition.ownWorkspace !== null) makeProjectFolder(workspace);
  const checkpoint = await checkpointOf(definition, workspace, options.only);
  const card = {
    run: origin.run ?? (definition.ownWorkspace === null ? v7() : v4()),
    workflow: definition.name,
    workspace,
    source: workflow.path,
    startedBy: origin.by,
    startedAt: Date.now(),
  } as const;
  return locked(disk, card.run, workspace, definition, async (lock) => {
    if (definition.byEvents) await announce(disk, settings, card.run, options);
    const run = createRun(disk, card, definition);
    return starting(await composeRun(disk, settings, run, { watch, lock, origin }), async (host) => {
      host.begin({
        run: card.run,
        workflow: definition.name,
        version: definition.version,
        language: definition.language,
        parameters: options.parameters,
        context,
        trigger: origin.trigger,
        env,
        budget: options.budget,
        msats: msatsOf(settings.config.nip, options.budget),
        checkpoint,
        timeout: definition.timeout,
        only: options.only,
      });
      if (options.request !== undefined)
        (await import('../nip/executions.ts')).keepRequest(disk, options.request);
    });
  });
}

/** Resumes a run. Throws `E_LOCKED` when a process hosts it already. */
export async function resumeRun(
  disk: RealDisk,
  settings: RunSettings,
  stored: Pick<StoredRun, 'run' | 'definition' | 'workspace'>,
  { watch, command, definition }: ResumeOptions,
  origin: Origin,
): Promise<RunController> {
  const run = definition === null ? stored : { ...stored, definition };
  keepProgramsOutOf(run.workspace);
  refuseUnsetSecrets(run.definition);
  const { records } = await formatOf(run.definition);
  if (records) checkRecords(openRoot, run, records);
  return locked(disk, run.run, run.workspace, run.definition, async (lock) => {
    return starting(await composeRun(disk, settings, run, { watch, lock, origin }), (host) => {
      const { given } = expectBegun(run.run, host.state);
      if (endsRolledBack(host)) return;
      const edited: Happening[] =
        definition === null || given === null
          ? []
          : [
              {
                type: 'updated',
                steps: [...changesOf(host.state, compile(stored.definition), host.rules).keys()],
                limits: editedLimits(given, stored.definition, definition),
              },
            ];
      host.resume(origin.by, [...edited, ...(command === null ? [] : [happeningOf(command)])]);
      // Not earlier: a crash in between must not lose which steps the edit makes run again.
      if (definition !== null) replaceDefinition(disk, run.run, definition);
    });
  });
}

async function announce(
  disk: RealDisk,
  { config }: RunSettings,
  run: string,
  options: BeginOptions,
): Promise<void> {
  const { admitRun } = await import('../nip/executions.ts');
  const { workflow, parameters, budget, definition, request } = options;
  const { timeout } = definition;
  await admitRun(disk, config.nip, { run, workflow, parameters, budget, timeout, request });
}

/** How msats are counted; null: the run does not use them. */
function msatsOf({ msatsPerUsd, budgetEnforcement }: NipSettings, { msats }: Budget): RunStart['msats'] {
  if (msats === undefined && msatsPerUsd === null) return null;
  return { perUsd: msatsPerUsd, enforced: budgetEnforcement };
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
  const hint = 'switch to another branch: `git switch -c NAME`, then run it again';
  throw new MailroomError(problem.code, problem.text, hint);
}

function refuseUnsetSecrets(definition: Workflow): void {
  const unset = secretsOf(definition).filter((name) => process.env[name] === undefined);
  if (unset.length === 0) return;
  const names = unset.map((name) => `\`${name}\``).join(', ');
  throw new MailroomError('E_USAGE', `the workflow needs ${names}, and the environment does not have it`);
}

/**
 * A secret among the values of a run would be written to disk, and could become an argument of a
 * program. A weak one may be an ordinary word, so it is allowed.
 */
function refuseGivenSecrets(definition: Workflow, { context, parameters }: BeginOptions): void {
  const secrets = secretsOf(definition).filter((name) => weakness(process.env[name] ?? '') === null);
  for (const [kind, values] of Object.entries({ context, parameters }))
    for (const [name, value] of Object.entries(values)) {
      const secret = secrets.find((each) => textsIn(value).some((text) => text.includes(process.env[each]!)));
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
  disk: RealDisk,
  settings: RunSettings,
  stored: RunFolder,
  command: RunControlFile,
  origin: Origin,
): Promise<void> {
  const run = whereItLies(disk, openRoot, stored);
  keepProgramsOutOf(run.workspace);
  const { lock } = await lockRun(disk, run);
  const controller = await orReleased(lock, async () => {
    return starting(await composeRun(disk, settings, run, { watch: () => {}, lock, origin }), (host) => {
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

/** Runs `act` with the run locked, and releases the lock on failure. */
async function locked(
  disk: RealDisk,
  run: string,
  workspace: string,
  definition: Workflow,
  act: (lock: HostLock) => Promise<RunController>,
): Promise<RunController> {
  const { lock, context } = await lockRun(disk, { run, workspace, definition });
  return orReleased(lock, () => {
    takeContext(disk, openRoot, context, run, definition);
    return act(lock);
  });
}

/**
 * Locks a run, with everything cleared that is in the place of its files. Throws `E_LOCKED`, and
 * `E_TRACKED` when git tracks the state. `context`: its context folder, absolute.
 */
async function lockRun(
  disk: RealDisk,
  run: RunFolder,
): Promise<{ readonly lock: HostLock; readonly context: string }> {
  await refuseTrackedState(disk);
  const cleared = clearState(disk);
  const context = contextFolderOf(disk, openRoot, run);
  const lock = await takeRun(disk, run.run, context);
  return { lock: { ...lock, refused: [...cleared, ...lock.refused] }, context };
}

async function orReleased<T>(lock: Lock, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await lock.release();
    throw error;
  }
}
