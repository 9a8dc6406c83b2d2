import type { RunningOutput } from '../host/latest-output.ts';
import { endOfId } from '../kernel/ids.ts';
import { shellWord } from '../kernel/quoting.ts';
import type { WaitingItem } from '../mail/questions/inbox.ts';
import { stepsOutput } from '../mail/controller/output.ts';
import type { RunController } from '../project/definition/contracts.ts';
import type { Controller } from '../mail/controller/contract.ts';
import type { Project } from '../project/project.ts';
import { explainStatus, explainSteps } from '../mail/questions/status-whys.ts';
import { commandsFrom } from './called.ts';
import { cut, wrap } from './columns.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { line, whyWords } from './format.ts';
import type { Keyboard, LiveKey } from './live-keys.ts';
import { ownStatus } from './progress.ts';
import type { Room } from './terminal.ts';
import type { Explained } from '../documents/common.ts';

/** The keys of `up` on a terminal. */
export function upKeys(context: Context, project: Project, controller: Controller): Keyboard {
  const keys: LiveKey[] = [
    {
      key: 'w',
      does: 'say why roles and threads wait',
      command: () => context.commandLine('status'),
      is: 'panel',
      lines: () => {
        const lines = mailWhys(context, project, controller);
        return lines.length === 0 ? ['nothing waits'] : lines;
      },
    },
    {
      key: 'a',
      does: 'answer a request or a gate that waits',
      command: null,
      is: 'question',
      run: async () => {
        const { readInbox } = await import('../mail/questions/inbox.ts');
        const { items } = await readInbox(project, null);
        await answerOneOf(context, items);
      },
    },
    {
      key: 'p',
      does: 'pause everything, or unpause it; running turns continue',
      command: () => context.commandLine(`${controller.state.paused.all === null ? 'pause' : 'unpause'} all`),
      is: 'action',
      run: async () => {
        const { ask } = await import('../mail/questions/requests.ts');
        const verb = controller.state.paused.all === null ? 'pause' : 'unpause';
        const asked = { verb, target: { kind: 'all' }, now: false, by: caller(context) } as const;
        await ask(project, asked, context.terminal.now);
      },
    },
    outputKey(context, (most) => controller.latest(most)),
  ];
  return { keys, onKey: (act) => context.call.onKey(act) };
}

/** The keys of `run` and `resume` on a terminal. */
export function runKeys(context: Context, controller: RunController): Keyboard {
  const { run } = controller;
  const keys: LiveKey[] = [
    {
      key: 'w',
      does: 'say why steps wait',
      command: () => context.commandLine(`why ${endOfId(run)}`),
      is: 'panel',
      lines: () => runWhys(context, controller),
    },
    {
      key: 'a',
      does: 'answer a gate that waits',
      command: null,
      is: 'question',
      run: async () => {
        const { approvalsOf } = await import('../mail/questions/inbox.ts');
        const { runs } = await context.place().workflows.status(null);
        const own = runs.filter((each) => each.run === run);
        await answerOneOf(context, approvalsOf(own, null));
      },
    },
    {
      key: 'p',
      does: 'pause the run, or unpause it; running steps continue',
      command: () =>
        context.commandLine(`${controller.state.paused === null ? 'pause' : 'unpause'} ${endOfId(run)}`),
      is: 'action',
      run: async () => {
        const { fileOf } = await import('./run-control.ts');
        const verb = controller.state.paused === null ? 'pause' : 'unpause';
        context.place().workflows.request(run, fileOf(context, { verb, path: '' }, null));
      },
    },
    outputKey(context, (most) => stepsOutput(controller, most)),
  ];
  return { keys, onKey: (act) => context.call.onKey(act) };
}

/** The key that shows the last lines of what runs now. */
function outputKey(context: Context, latest: (most: number) => readonly RunningOutput[]): LiveKey {
  return {
    key: 'o',
    does: 'show the latest output of what runs',
    command: null,
    is: 'panel',
    lines: (room) => {
      const running = latest(room.rows);
      const rows = Math.max(1, Math.floor(room.rows / Math.max(1, running.length)) - 1);
      const lines = running.flatMap(({ name, lines: printed, command }) => [
        `${name}; all of it: \`${commandsFrom(context, command).join('')}\``,
        ...lastRows(printed, { columns: room.columns, rows }),
      ]);
      return lines.length === 0 ? ['nothing runs'] : lines;
    },
  };
}

/** The last lines of an output that fit, wrapped and indented by two columns. */
function lastRows(printed: readonly string[], { columns, rows }: Room): string[] {
  const width = columns - 2;
  const wrapped = printed
    .slice(-rows)
    .flatMap((each) => wrap(line(each.slice(0, width * rows)), width).split('\n'));
  const shown = wrapped.length === 0 ? ['no output yet'] : wrapped.slice(-rows);
  return shown.map((each) => `  ${cut(each, width)}`);
}

/**
 * Why nothing moves: each role and thread that waits, with the commands that change it below.
 * `problems`: what the controller reports, where it has ended.
 */
export function mailWhys(
  context: Context,
  project: Project,
  controller: Controller,
  problems: readonly string[] = [],
): string[] {
  const { protocol } = controller.definition;
  const now = context.terminal.now();
  const status = ownStatus(controller, now);
  const whys = explainStatus(project, { status, protocol, now, problems, read: () => controller.state });
  // A thread that waits for the same as its role adds nothing.
  const ofRoles = new Set(status.roles.map(({ name }) => whys.role(name)?.reason));
  return [
    ...status.roles.flatMap(({ name }) => whyLines(context, name, whys.role(name))),
    ...status.threads.flatMap(({ id }) => {
      const why = whys.thread(id);
      return ofRoles.has(why?.reason) ? [] : whyLines(context, `thread ${endOfId(id)}`, why);
    }),
  ];
}

function runWhys(context: Context, controller: RunController): string[] {
  const whys = explainSteps(controller, context.terminal.now());
  const lines = [...whys].flatMap(([path, why]) => whyLines(context, path, why));
  return lines.length === 0 ? ['nothing waits'] : lines;
}

/**
 * The reason of one thing, after its name where the reason does not begin with it, and below it the
 * commands that change it.
 */
function whyLines(context: Context, name: string, why: Explained | null): string[] {
  const [reason] = whyWords(why, context.terminal.now());
  if (why === null || reason === undefined) return [];
  const commands = why.command === null ? [] : commandsFrom(context, why.command);
  const named = reason.startsWith(`${name} `) ? reason : `${name}: ${reason}`;
  return [named, ...commands.map((command) => `  ${command}`)];
}

/** Prints what an approval is about, where its subject shows only a part of it. */
async function showWhole(context: Context, { id, type, question }: WaitingItem): Promise<void> {
  const { runShow } = await import('./actions/show.ts');
  if (question !== null) await runShow(context, question, {});
  else if (type === 'landing') await runShow(context, id, { diff: true });
}

/** Asks a person for the answer to the only item that waits, or to one of them. */
async function answerOneOf(context: Context, items: readonly WaitingItem[]): Promise<void> {
  const { pickWaiting } = await import('./answering.ts');
  const item = await pickWaiting(context, items, ['request', 'approval'], null, {});
  const { id, kind, run } = item;
  const say = (words: string) => context.terminal.print(`same as \`${context.commandLine(words)}\`\n`);
  if (kind === 'request') {
    const { reply } = await import('./actions/reply.ts');
    say(`reply ${endOfId(id)}`);
    await reply(context, id, null, {});
    return;
  }
  await showWhole(context, item);
  const { choose } = await import('./asking.ts');
  const { judge } = await import('./actions/approve.ts');
  const verdict = await choose(item.subject, item.reply_types, 'nothing was recorded');
  const gate = run === null ? null : id.slice(run.length + 1);
  const shown = item.changes === null ? {} : { changes: item.changes };
  const ofTurn = item.changes === null ? id : `${id} --changes ${item.changes}`;
  const words = run === null || gate === null ? ofTurn : `${endOfId(run)} ${shellWord(gate)}`;
  if (verdict === 'approve' || verdict === 'reject') say(`${verdict} ${words}`);
  else say(`approve ${words} --choice ${shellWord(verdict)}`);
  if (verdict === 'reject') await judge('reject', context, run ?? id, gate, shown);
  else await judge('approve', context, run ?? id, gate, { ...shown, choice: verdict });
}
