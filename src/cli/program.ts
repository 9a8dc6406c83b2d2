import { Command } from 'commander';
import { asCalled } from './called.ts';
import type { Context, Start } from './context.ts';
import { makeContext } from './context.ts';
import { addCancel } from './commands/cancel.ts';
import { addApprove, addReject } from './commands/approve.ts';
import { addCheck } from './commands/check.ts';
import { addCompletion } from './commands/completion.ts';
import { addCosts } from './commands/costs.ts';
import { addDoctor } from './commands/doctor.ts';
import { addGraph } from './commands/graph.ts';
import { addInbox } from './commands/inbox.ts';
import { addInit } from './commands/init.ts';
import { addLogs } from './commands/logs.ts';
import { addLsp } from './commands/lsp.ts';
import { addMcp } from './commands/mcp.ts';
import { addNip } from './commands/nip.ts';
import { addPause } from './commands/pause.ts';
import { addPlan } from './commands/plan.ts';
import { addPrune } from './commands/prune.ts';
import { addReply } from './commands/reply.ts';
import { addResume } from './commands/resume.ts';
import { addRetry } from './commands/retry.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs.ts';
import { addRunStep } from './commands/run-step.ts';
import { addSend } from './commands/send.ts';
import { addServe } from './commands/serve.ts';
import { addShow } from './commands/show.ts';
import { addStatus } from './commands/status.ts';
import { addTrail } from './commands/trail.ts';
import { addUnpause } from './commands/unpause.ts';
import { addUp } from './commands/up.ts';
import { addReload } from './commands/reload.ts';
import { addValidate } from './commands/validate.ts';
import { addWatch } from './commands/watch.ts';
import { addWhy } from './commands/why.ts';
import { addWorker } from './commands/worker.ts';
import { addWorkers } from './commands/workers.ts';
import { addWorkflows } from './commands/workflows.ts';
import { addWorktree } from './commands/worktree.ts';
import type { Terminal } from './terminal.ts';

const about =
  'Hands work between headless coding agents by files. Each role has an inbox and an outbox, a protocol in YAML says who may ask ' +
  'whom for what, and one controller moves the mail and starts each role that can work. Workflows in YAML run on the same engine.';

const codes = `
Exit codes:
  0    done
  1    it ran and failed
  2    wrong command line or configuration; nothing started
  3    a path would leave the project
  124  timed out
  130  cancelled

Examples:
  $ mailroom init my-project && cd my-project
  $ mailroom send architect --message "Add a --json flag"
  $ mailroom up
  $ mailroom run first-look`;

/**
 * Every command with its options, ready to parse. Errors are thrown; no command ends the process.
 */
export function makeProgram(start: Start, terminal: Terminal): { program: Command; context: Context } {
  const program = new Command(start.name);
  program
    .description(about)
    .version(start.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .commandsGroup(groups[0][0])
    .helpCommand('help [command]', 'show help for a command')
    .option('-C, --project <dir>', 'the project, instead of the one around the current folder')
    .option('--debug', 'show where in the program an error comes from')
    .addHelpText('after', codes)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(asCalled(text, start.name)),
      writeErr: () => {},
      outputError: () => {},
    })
    .configureHelp({
      helpWidth: Math.min(100, terminal.columns()),
      // Commander leaves columns of fewer than 40 characters to the terminal, which breaks words.
      minWidthToWrap: 20,
      showGlobalOptions: true,
      // `[options]` after every command would add nothing.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
    });
  const context = makeContext(start, terminal, program);
  for (const [head, commands] of groups) {
    program.commandsGroup(head);
    for (const add of commands) add(program, context);
  }
  return { program, context };
}

type Group = readonly [head: string, commands: readonly ((program: Command, context: Context) => void)[]];

/** In the order of the help, under these headings. */
const groups: readonly [Group, ...Group[]] = [
  ['The project:', [addInit, addCheck, addDoctor, addCompletion, addLsp]],
  [
    'The mail:',
    [
      addUp,
      addWorker,
      addWorkers,
      addInbox,
      addSend,
      addReply,
      addStatus,
      addWhy,
      addCosts,
      addTrail,
      addShow,
      addPause,
      addUnpause,
      addCancel,
      addRetry,
      addWorktree,
      addPrune,
      addMcp,
      addServe,
    ],
  ],
  [
    'Workflows:',
    [
      addWorkflows,
      addValidate,
      addReload,
      addPlan,
      addGraph,
      addRun,
      addResume,
      addRunStep,
      addWatch,
      addNip,
      addRuns,
      addLogs,
      addApprove,
      addReject,
    ],
  ],
];
