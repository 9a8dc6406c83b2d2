import { isJsonObject } from '../../kernel/json.ts';
import { argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';

const command: KeyHint = (value) => {
  if (typeof value === 'string' && !value.trim().includes('\n'))
    return `write \`command: ${argvText(value)}\``;
  return 'a program is `command: [npm, test]`, a script `worker: CUSTOM` with the script as `instructions`';
};

const instead = (key: string): string => `did you mean \`${key}\`?`;

/** What other programs call a guard of silent workers, as the keys that do the same. */
const stalled: KeyHint = (value) => {
  const { no_output_timeout: after, on_stall: then } = isJsonObject(value) ? value : {};
  const { action, as_incomplete: incomplete } = isJsonObject(then) ? then : {};
  const policy = incomplete === true ? 'incomplete' : action === 'fail' ? 'fail' : 'retry';
  return `write \`idle_timeout: ${typeof after === 'string' ? after : '10m'}\` and \`on_stall: ${policy}\``;
};

const retried = 'write `on_failure: retry` and `max_retries`; pauses and exit codes stand under `retry`';
const choices = 'write a `when` in each of the steps, or in a sequence a step `route`';
const atTheEnd = 'write `finally`: its steps run once all others are over; `run.status` says how';
const onFailure = 'write `finally: { <name>: { when: "${{ run.status == \'FAILED\' }}", command: … } }`';

const noManager =
  'no agent manages steps: what it would decide is written as `when`, `completion_check`, `gate` or `timeout`';
const noTeam =
  'a workflow has no team: a step names one agent with `agent`; roles that work together by mail are defined in protocols/, and a step gives one of them work with `role`';

const ofStep: Readonly<Record<string, KeyHint>> = {
  run: command,
  script: command,
  cmd: command,
  shell: 'a script of a shell is `command: [sh, -c, "…"]`',
  needs: instead('depends_on'),
  dependencies: instead('depends_on'),
  after: instead('depends_on'),
  run_after: instead('depends_on'),
  depends: instead('depends_on'),
  deps: instead('depends_on'),
  if: instead('when'),
  condition: instead('when'),
  rules: 'whether a step runs is said by its `when`, that a person must say yes by a step `gate`',
  preconditions: 'write `when`; what a program says first is a step before, with `values`',
  trigger_rule: instead('join'),
  switch: choices,
  cases: choices,
  branches: choices,
  uses: 'actions cannot run here: `command` runs a program, `workflow` the file of another workflow',
  name: 'the key of a step is its name; `description` says what it is for',
  id: 'the key of a step is its id',
  type: 'what a step does is said by one of `worker`, `provider`, `agent`, `role`, `command`, `gate`, `for_each`, `while`, `set`, `route`, `fail`, `workflow`, `merge`, `land`',
  prompt: instead('instructions'),
  permissions: instead('capabilities'),
  tools: instead('capabilities'),
  working_directory: instead('workspace'),
  cwd: instead('workspace'),
  environment: instead('env'),
  timeout_minutes: (value) => `write \`timeout: ${typeof value === 'number' ? value : 20}m\``,
  continue_on_error: 'write `on_failure: continue`',
  allow_failure: 'write `on_failure: continue`',
  ignore_error: 'write `on_failure: continue`',
  continue_on: 'write `on_failure: continue`; a step skipped by its `when` lets others run',
  catch: 'write `on_failure: continue`, and the `status` of this step in the `when` of the next',
  retries: retried,
  retry_policy: retried,
  retry_strategy: retried,
  suspend: 'a step `gate` waits for a person',
  approval: 'a step `gate` waits for a person',
  cmds: 'write `command`, one step for each',
  strategy: 'the same steps for each item of a list are `for_each`',
  matrix: 'the same steps for each item of a list are `for_each`',
  with_items: 'the same steps for each item of a list are `for_each`',
  steps:
    'a step has no steps of its own: write each under `steps` of the workflow, or use `for_each`, `while` or `workflow`',
  parallel: 'steps run at the same time unless `depends_on` orders them',
  runs_on: '`on: workers` runs a step on a worker host, `on: { labels: […] }` on one with these labels',
  management: noManager,
  stall: stalled,
  subworkflow_event_prefix: 'the steps of a sub-workflow are shown under the id of this step: remove it',
};

/** What authors of GitHub Actions and other workflow tools write in a native workflow. */
export const habits: Habits = {
  keys: {
    workflow: {
      on: instead('triggers'),
      schedule: 'write `triggers: { <name>: { cron: … } }`',
      jobs: 'a workflow has one mapping of `steps`, each with `depends_on`',
      tasks: instead('steps'),
      stages: instead('steps'),
      permissions: 'each step has its own `capabilities`',
      variables: instead('env'),
      inputs: instead('parameters'),
      params: instead('parameters'),
      vars: instead('context'),
      on_exit: atTheEnd,
      handler_on: atTheEnd,
      after_script: atTheEnd,
      after_execution: atTheEnd,
      errors: onFailure,
      failure_module: onFailure,
      id: instead('name'),
      agents: noTeam,
      swarm: noTeam,
      management: noManager,
      sentinel: 'write `idle_timeout` and `on_stall` in each step that may fall silent',
      reporting: 'write `hooks`: they run programs and send notices at the start and end of a run',
      task_policy: 'what an agent may do is said by the `capabilities` of its step',
    },
    step: ofStep,
    trigger: {
      timezone: 'only a trigger with `cron` has it',
      debounce: 'only a trigger with `files` has it',
      secret: 'only a trigger with `webhook` has it',
      on: 'only a trigger with `command` has it',
    },
    loop: { parallel: instead('concurrency'), max_concurrency: instead('concurrency') },
    'while loop': {
      until: 'write `condition`, which is true as long as another round is wanted',
      limit: instead('max_iterations'),
    },
    'completion check': {
      run: command,
      script: command,
      permissions: instead('capabilities'),
      stall: 'the `timeout` of the check ends it: remove it',
    },
    hook: {
      command: (value) => `write \`run: ${typeof value === 'string' ? argvText(value) : '[npm, test]'}\``,
    },
  },
  shapes: {
    triggers: '{ nightly: { cron: "0 3 * * *" } }',
    items: '{ type: string }',
    exports: '[{ from: build, artifact: report, as: report }]',
    inputs: '[{ from: build, artifact: report, as: given }]',
    outputs: '[{ name: report, path: report.md }]',
    parameters: '{ number: { type: integer } }',
    steps: '{ build: { command: [make] } }',
  },
  values: {
    join: {
      all_success: 'write `all`; a parent that failed with `continue` lets it run: `when` asks its `status`',
      all_succeeded:
        'write `all`; a parent that failed with `continue` lets it run: `when` asks its `status`',
      none_failed_min_one_success: 'write `none_failed`, or `one_success`',
      always: 'write `all_done`',
    },
    type: {
      int: 'write `integer`',
      bool: 'write `boolean`',
      str: 'write `string`',
      text: 'write `string`',
      float: 'write `number`',
      list: 'write `array`',
      dict: 'write `object`',
      map: 'write `object`',
    },
    exports_mode: {
      merge: 'write `replace`: artifacts are exported once, when the sub-workflow is complete',
    },
    worker: Object.fromEntries(
      Object.entries({
        claude: 'CLAUDE_CODE',
        codex: 'CODEX_CLI',
        gemini: 'GEMINI_CLI',
        opencode: 'OPENCODE',
      }).map(([provider, worker]) => [provider, `write \`provider: ${provider}\` or \`worker: ${worker}\``]),
    ),
  },
};
