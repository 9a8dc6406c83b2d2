import { json, progress, recording, type Commands } from './table.ts';

const workflow = 'a file, or the id or name of a workflow in workflows/';
const run = 'a run: its id, the beginning or end of it, or `last`';

const parameters = {
  '--param <name=value>': { about: 'set a parameter; repeatable', repeatable: true },
  '--input <name=value>': { about: 'the same as --param, as the language nip calls it', repeatable: true },
} as const;

const values = {
  '--context <name=value>': { about: 'set a value of `context`; repeatable', repeatable: true },
  '--context-file <file>': 'read values of `context` from a JSON file',
} as const;

const overrides = {
  '--overrides <file>': { about: 'apply these changes to a swdl workflow; repeatable', repeatable: true },
} as const;

/** The options of what starts a run. */
const starting = {
  ...parameters,
  '--workspace <dir>': 'the working folder of its steps; default: the project',
  '--inherit <name>': {
    about: 'pass this variable of your shell to its steps; repeatable',
    repeatable: true,
  },
  ...values,
  '--budget <usd=N,tokens=N>': 'stop the run at this cost',
  '--max-usd <n>': 'refuse to start if the worst-case cost is higher',
  '--max-visits <n>': 'limit how often a sequence enters one step; default 1000',
  ...overrides,
  ...recording,
  '--follow [step]': 'print the output of the steps, or of one (--follow=build), as it comes',
  ...progress,
} as const;

/** The arguments and options of an answer to a gate. */
const answer = {
  arguments: {
    '[run]':
      'a run: its id, the beginning or end of it, @1 of `inbox`, or a turn that waits for a yes, to land its work or to use a tool (default: the only one that waits)',
    '[gate]': 'the step of the gate; in a loop, <step>/<index>/<gate> (default: the only gate of the run)',
  },
  options: {
    '-m, --comment <text>': 'the reason; stored with the answer',
    '--changes <digest>': 'the changes of a turn that you have seen; refused if others wait now',
    '--field <name=value>': { about: 'a field that the gate asks for; repeatable', repeatable: true },
    '--as <name>': 'the name of the approver (default: $MAILROOM_USER, else the user name)',
    ...json,
  },
} as const;

export const workflows: Commands = {
  workflows: {
    about: 'list the workflows in workflows/',
    options: json,
    examples: ['mailroom workflows --json'],
    run: async () => (await import('../actions/workflows.ts')).listWorkflows,
  },
  validate: {
    about: 'check workflows without starting anything',
    arguments: {
      '[workflow...]': 'files, or ids or names of workflows in workflows/; default: all of those',
    },
    options: { ...overrides, ...json },
    examples: ['mailroom validate workflows/ship.yaml'],
    run: async () => (await import('../actions/validate.ts')).runValidate,
  },
  reload: {
    about: 'confirm changed workflows and roles, so that a running `up` uses them',
    arguments: {
      '[workflow...]':
        'files, ids or names of workflows in workflows/, and agents/<role>/role.md; default: all of those',
    },
    examples: ['mailroom reload workflows/ship.yaml'],
    run: async () => (await import('../actions/reload.ts')).runReload,
  },
  plan: {
    about: 'show what a run would do and its worst-case cost, without starting it',
    arguments: { '<workflow>': workflow },
    options: { ...parameters, ...values, ...overrides, ...json },
    examples: ['mailroom plan workflows/ship.yaml --param feature=auth'],
    run: async () => (await import('../actions/plan.ts')).plan,
  },
  graph: {
    about: 'print a workflow, or the protocol, as a diagram',
    arguments: { '[workflow]': workflow },
    options: {
      '--protocol': 'print the protocol of the project',
      '--format <format>': 'mermaid (default of workflows), or of the protocol text, which is its default',
    },
    examples: ['mailroom graph workflows/ship.yaml > ship.mmd'],
    run: async () => (await import('../actions/graph.ts')).draw,
  },
  run: {
    about: 'run a workflow to its end',
    arguments: { '<workflow>': `${workflow}; with --agent, the task` },
    options: {
      '--dry-run': 'show what it would do, as `mailroom plan` does, and start nothing',
      '--agent <provider>': 'let this agent do one task, which is the argument, without a workflow',
      '--model <name>': 'with --agent: the model, as its program names it',
      '--capabilities <list>': 'with --agent: what it may do, such as READ,EDIT',
      '--timeout <duration>': 'with --agent: how long it may take; default 1h',
      ...starting,
    },
    examples: [
      'mailroom run workflows/ship.yaml --param feature=auth',
      'mailroom run --agent claude --budget usd=1 "Fix the failing tests."',
    ],
    run: async () => (await import('../actions/run.ts')).run,
  },
  resume: {
    about: 'continue a run; finished steps do not run again',
    arguments: { '<run>': run },
    options: {
      '--explain': 'show what is reused, what runs and why, without starting anything',
      '--update': 'continue with the edited file; finished steps that it changes run again',
      ...progress,
    },
    examples: ['mailroom resume 8c1d02 --explain'],
    run: async () => (await import('../actions/resume.ts')).resume,
  },
  'run-step': {
    about: 'run a single step of a workflow, in a new run',
    arguments: {
      '<workflow>': 'the workflow; or only the step, if a single workflow in workflows/ has it',
      '[step]': 'the step',
    },
    options: starting,
    examples: ['mailroom run-step workflows/ship.yaml build'],
    run: async () => (await import('../actions/run-step.ts')).runStep,
  },
  watch: {
    about: 'run a workflow, and again after every change of a file in its workspace',
    arguments: { '<workflow>': workflow },
    options: starting,
    examples: ['mailroom watch workflows/check.yaml'],
    run: async () => (await import('../actions/watch.ts')).watch,
  },
  runs: {
    about: 'list the runs of the project, newest first',
    options: json,
    examples: ['mailroom runs --json'],
    run: async () => (await import('../actions/runs.ts')).listRuns,
  },
  logs: {
    about: 'print the output of the steps of a run, or of the agent of a turn',
    arguments: {
      '<target>':
        'a run, thread or message: its id, the beginning or end of it, @1 of `inbox`, or `last`; a turn (t12)',
    },
    options: {
      '-f, --follow': 'print until the run or turn ends',
      '-n, --tail <lines>': 'only the last lines of each output',
      '--step <step>': 'only this step, with its inner steps and all iterations',
    },
    examples: ['mailroom logs last --follow', 'mailroom logs t12 --tail 20'],
    run: async () => (await import('../actions/logs.ts')).printLogs,
  },
  approve: {
    about: 'approve a gate so that dependent steps can run',
    arguments: answer.arguments,
    options: {
      ...answer.options,
      '--choice <choice>': 'what to choose, where the gate has other choices (default: approve)',
    },
    examples: ['mailroom approve 8c1d02 publish-it'],
    run: async () => (await import('../actions/approve.ts')).judge.bind(null, 'approve'),
  },
  reject: {
    about: 'reject a gate: dependent steps are skipped',
    ...answer,
    examples: ['mailroom reject 8c1d02 publish-it'],
    run: async () => (await import('../actions/approve.ts')).judge.bind(null, 'reject'),
  },
};
