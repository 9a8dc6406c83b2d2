import { MailroomError } from '../../kernel/errors.ts';
import type { ExecutionReport } from './nostr/documents.ts';
import { progressOf } from './nostr/execution-events.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Project } from '../../project/project.ts';
import { patience, waitFor } from '../../workflow/runs/waiting.ts';
import { problemLine } from '../../server/mcp/answer.ts';
import type { Progress } from '../../server/mcp/progress.ts';
import type { AddedTools } from '../../server/mcp/project.ts';
import { addWorkflowTools, nipInstructions, type RunList, type WorkflowToolServices } from './tools.ts';
import type { Context } from '../../cli/context.ts';
import { NipWorkflows } from './workflows.ts';
import { caller } from '../../cli/control.ts';
import { cancelRun } from '../../cli/run-control.ts';
import type { RunController } from '../../project/definition/contracts.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';

/**
 * The tools of workflows by their ids; null: the project does not use them. A run that one of them
 * hosts stops at the end in good order, and can be resumed.
 */
export async function nipTools(context: Context): Promise<AddedTools | null> {
  const project = context.project();
  if (!(await usesNip(project))) return null;
  const { workflows } = project;
  const nip = new NipWorkflows(project);
  const going = new Map<RunController, Promise<void>>();
  const sending = keepSending(context, nip);
  const services: WorkflowToolServices = {
    define: async (definition) => {
      const { warnings, ...defined } = await nip.define(definition);
      return { ...defined, warnings: warnings.map(problemLine) };
    },
    execute: async ({ workflowId, inputs, budget, timeout, async: isAsync }, report) => {
      const asked = { inputs, msats: budget, timeout: timeout === null ? null : timeout * 1_000 };
      const begin = await nip.prepare({ ...asked, workflow: workflowId });
      let started: RunController | null = null;
      const watch = () => started && report(progressIn(started));
      const run = (started = await workflows.begin({ ...begin, person: caller(context), watch }));
      watch();
      const over = run.follow().finally(() => going.delete(run));
      // Its journal contains its errors, for a later request.
      going.set(
        run,
        over.catch(() => {}),
      );
      if (!isAsync) await over;
      return await nip.report(run.run);
    },
    status: (execution) => nip.status(execution),
    list: () => nip.list(),
    runs: (most) => listed(workflows, nip, most),
    cancel: (execution, report) => cancelled(context, nip, execution, report),
  };
  return {
    instructions: nipInstructions,
    add: (server) => addWorkflowTools(server, services),
    close: async () => {
      for (const run of going.keys()) run.end('stop');
      await Promise.all(going.values());
      await (await sending)?.close();
    },
  };
}

/**
 * Whether a role does tasks of the language nip, or its relays are named. A project with problems
 * may: the tools report them.
 */
async function usesNip(project: Project): Promise<boolean> {
  const definition = await project.definition();
  if (!definition.ok) return true;
  const { protocol, config } = definition.value;
  return (
    [...protocol.roles.values()].some(({ kinds }) => kinds !== undefined) || config.nip.relays.length > 0
  );
}

/**
 * Sends relays the unsent events of earlier runs. A project with invalid settings sends nothing:
 * every tool reports the errors.
 */
async function keepSending(
  { terminal }: Context,
  nip: NipWorkflows,
): Promise<Awaited<ReturnType<NipWorkflows['keepSending']>>> {
  try {
    return await nip.keepSending((error) => terminal.complain(`${String(error)}\n`));
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
    return null;
  }
}

/** The progress of a run: how many of its steps are finished, completed or not. */
function progressIn({ run, state, rules }: RunController): Progress {
  const { settled, completed, total, current } = progressOf(state, rules);
  const at = current === null ? '' : `, at ${current}`;
  return {
    done: settled,
    total,
    message: `run ${run}: ${String(completed)} of ${String(total)} steps completed${at}`,
  };
}

/** The newest runs of the language. An unreadable run does not hide the others. */
async function listed(workflows: Workflows, nip: NipWorkflows, most: number): Promise<RunList> {
  const runs: RunList['runs'][number][] = [];
  const problems: string[] = [];
  for (const { run } of workflows.runs()) {
    if (runs.length === most) break;
    try {
      if (workflows.run(run).definition.byEvents) runs.push(entryOf(await nip.report(run)));
    } catch (error) {
      // Invalid settings do not concern this run.
      if (!(error instanceof MailroomError) || error instanceof ProblemsError || error.code === 'E_INTERNAL')
        throw error;
      problems.push(`${run}: ${error.message}`);
    }
  }
  return { runs, problems };
}

function entryOf(report: ExecutionReport): RunList['runs'][number] {
  const { executionId, run, workflowId, status, progress, totalCost, runtime, message } = report;
  return { executionId, run, workflowId, status, progress, totalCost, runtime, message };
}

/** Resolves when the run has ended, or has not ended some seconds after the request. */
async function cancelled(
  context: Context,
  nip: NipWorkflows,
  execution: string,
  report: (progress: Progress) => void,
): Promise<ExecutionReport> {
  const { workflows } = context.project();
  const stored = nip.find(execution);
  const { run } = stored;
  // Throws if the run belongs to another language.
  await nip.report(run);
  report({ done: 0, total: 1, message: `run ${run}: it is asked to end` });
  await cancelRun(context, stored);
  const changed = (milliseconds: number) => workflows.changed(run, milliseconds);
  await waitFor({ changed }, context.terminal.now, patience, () =>
    stored.state().endedAt === null ? undefined : true,
  );
  return nip.report(run);
}
