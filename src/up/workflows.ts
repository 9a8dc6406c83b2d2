import { join } from 'node:path';
import { v7 } from 'uuid';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import type { Message } from '../mail/format/message.ts';
import type { Trigger } from '../workflow/automation.ts';
import type { Workflow } from '../workflow/model.ts';
import { nextTime } from '../workflow/triggers/cron.ts';
import type { TriggerPorts } from '../workflow/triggers/trigger-ports.ts';
import { WorkflowTriggers } from '../workflow/triggers/host.ts';
import type { LoopHints, UpWorkflows } from '../workflow/host/up-work.ts';
import { cancelForNewer } from '../workflow/host/commands.ts';
import { hostedRuns } from '../workflow/host/hosted-runs.ts';
import type { SharedSlots } from '../host/slots.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { run } from '../process/run.ts';
import { WebhookListener, type Webhook } from '../workflow/triggers/webhooks.ts';
import { baseOf, matchingFiles } from '../disk/matching-files.ts';
import type { Disk } from '../disk/disk.ts';
import { readTriggers, refuseBadMemories, writeTriggers } from '../workflow/triggers/memory-files.ts';
import { watchTrees } from '../disk/watch-tree.ts';
import { confirmAtStart } from '../project/definition/rules.ts';
import { saidTo } from '../project/definition/confirmed.ts';
import type { Settings } from '../project/definition/definition.ts';
import type { Hooks, Listener, Listening } from '../project/definition/hooks.ts';
import type { RunSettings } from '../workflow/runs/compose.ts';
import { weakSecrets } from '../workflow/host/secrets.ts';
import { triggeredWorkflows, type TriggeredWorkflow } from '../project/definition/triggered.ts';
import { readerOf } from '../project/definition/workflows.ts';
import { warningsNote } from '../project/definition/validate.ts';
import { UpRuns, type OnRun } from './runs.ts';

const pollTime = 60_000;
const pollBytes = 64 * 1024;

/** Reads the workflows of the project and starts their triggers, with what an earlier `up` left. */
export async function openWorkflows(
  disk: Disk,
  settings: Settings & RunSettings,
  slots: SharedSlots,
  hints: LoopHints & { readonly onRun: OnRun },
): Promise<UpWorkflows> {
  const reset = refuseBadMemories(disk);
  const found = await triggeredWorkflows(disk, settings);
  // Starting `up` confirms the workflows in their current form.
  const confirmed = await confirmAtStart(disk, found.read);
  const runs = new UpRuns(disk, settings, slots, hints);
  const contexts = found.workflows.map(({ definition }) => definition?.contextDir ?? '').filter(Boolean);
  const ports = portsOf(disk, runs, contexts, hints);
  const triggers = found.workflows.map(({ file, definition }) => {
    const cancelsOlder = definition?.runs?.otherwise === 'cancel_older';
    return new WorkflowTriggers({ file, triggers: enabledIn(definition), cancelsOlder }, ports);
  });
  const all = found.workflows.flatMap(({ definition }) => enabledIn(definition));
  const watcher = watchFiles(disk, all, () => {
    for (const each of triggers) each.hint();
  });
  const listener = await listen(found.workflows, triggers, settings);
  const listeners = await listenersOf(settings.hooks, {
    disk,
    reader: readerOf(disk, settings),
    runs,
    failed: hints.failed,
  });
  const received = (messages: readonly Message[]) => {
    for (const message of messages) for (const each of triggers) each.received(message);
  };
  const problemsNow = () => [...triggers.map((each) => each.problem), listener?.problem ?? null];
  return {
    triggers,
    runs,
    notes: [
      ...reset,
      ...(confirmed === null ? [] : [confirmed]),
      ...found.problems,
      ...found.read.flatMap((read) => warningsNote(read, `mailroom validate ${read.path}`) ?? []),
      ...weakSecrets(found.workflows.flatMap(({ definition }) => definition ?? [])),
      ...notesOf(found.workflows, listener, settings),
    ],
    problems: () => [
      ...problemsNow().filter((problem) => problem !== null),
      ...runs.problems,
      ...listeners.flatMap((each) => each.problems()),
    ],
    recoveries: () => [],
    received,
    isTalking: () => false,
    close: async () => {
      for (const each of listeners) await each.close();
      await listener?.close();
      await watcher?.close();
    },
  };
}

function portsOf(
  disk: Disk,
  runs: UpRuns,
  contexts: readonly string[],
  { wake, failed }: LoopHints,
): TriggerPorts {
  return {
    clock: { now: Date.now },
    newId: v7,
    next: nextTime,
    said: (start) => saidTo(disk, start),
    memory: {
      read: (workflow) => readTriggers(disk, workflow),
      write: (workflow, memory) => writeTriggers(disk, workflow, memory),
    },
    files: (globs) => matchingFiles(disk, globs, contexts),
    writing: (files) => disk.writing(files),
    poll: async (argv) => {
      const options = {
        cwd: disk.root,
        env: buildEnvironment(),
        timeoutMs: pollTime,
        maxOutputBytes: pollBytes,
      };
      const { ended, exitCode, stdout } = await run(argv, options);
      return ended === 'exited' && exitCode === 0 ? stdout.trim() : null;
    },
    run: (workflow, id, trigger) => runs.run(workflow, id, trigger),
    cancel: (id, newer) => {
      const older = hostedRuns(disk).find(({ card }) => card.run === id);
      if (older !== undefined) cancelForNewer(disk, older, newer, Date.now());
      return older !== undefined;
    },
    wake,
    failed,
  };
}

function watchFiles(
  disk: Disk,
  triggers: readonly Trigger[],
  onHint: () => void,
): { close(): Promise<void> } | null {
  const globs = triggers.flatMap((trigger) => (trigger.kind === 'files' ? trigger.globs : []));
  const bases = new Set(globs.filter((glob) => !glob.startsWith('!')).map(baseOf));
  return bases.size === 0
    ? null
    : watchTrees(
        [...bases].map((base) => join(disk.root, base)),
        onHint,
      );
}

/** The listener exists only if a trigger uses it. */
async function listen(
  workflows: readonly TriggeredWorkflow[],
  triggers: readonly WorkflowTriggers[],
  settings: Settings,
): Promise<WebhookListener | null> {
  const hooks = triggers.flatMap((host, index) =>
    webhooksOf(workflows[index]?.definition ?? null).map((trigger): Webhook => ({
      path: trigger.path,
      key: keyOf(settings, trigger.secret),
      take: (data) => host.ask(trigger, data),
    })),
  );
  if (hooks.length === 0) return null;
  const [twice] = hooks.filter(({ path }, index) => hooks.findIndex((each) => each.path === path) !== index);
  if (twice !== undefined)
    throw new MailroomError('E_DUPLICATE', `two triggers listen to ${twice.path}`, 'give each its own path');
  const listener = new WebhookListener(hooks, settings.config.webhookPort);
  await listener.listen();
  return listener;
}

function enabledIn(definition: Workflow | null): readonly Trigger[] {
  return (definition?.triggers ?? []).filter(({ enabled }) => enabled !== false);
}

function webhooksOf(definition: Workflow | null): Extract<Trigger, { kind: 'webhook' }>[] {
  return enabledIn(definition).filter((trigger) => trigger.kind === 'webhook');
}

function keyOf({ environment }: Settings, secret: string): string | null {
  const value = ownValue(environment, secret);
  return value === undefined || value === '' ? null : value;
}

function notesOf(
  workflows: readonly TriggeredWorkflow[],
  listener: WebhookListener | null,
  settings: Settings,
): string[] {
  return workflows.flatMap(({ file, definition }) =>
    webhooksOf(definition).map(({ name, path, secret }) => {
      const address = listener?.address ?? null;
      const state = address === null ? 'is not listening yet' : `listens on ${address}${path}`;
      const unset =
        keyOf(settings, secret) === null
          ? `, and refuses every request: set the environment variable ${secret} and restart`
          : '';
      return `${file}: the trigger ${name} ${state}${unset}`;
    }),
  );
}

/** What extensions follow while `up` runs. */
async function listenersOf(hooks: readonly Hooks[], up: Listening): Promise<Listener[]> {
  const found = await Promise.all(hooks.flatMap((each) => each.listen?.(up) ?? []));
  return found.filter((each) => each !== null);
}
