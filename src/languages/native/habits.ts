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
  if: instead('when'),
  condition: instead('when'),
  uses: 'actions cannot run here: `command` runs a program, `workflow` the file of another workflow',
  name: 'the key of a step is its name; `description` says what it is for',
  id: 'the key of a step is its id',
  type: 'what a step does is said by one of `worker`, `provider`, `agent`, `role`, `command`, `gate`, `for_each`, `while`, `set`, `workflow`',
  prompt: instead('instructions'),
  permissions: instead('capabilities'),
  tools: instead('capabilities'),
  working_directory: instead('workspace'),
  cwd: instead('workspace'),
  environment: instead('env'),
  timeout_minutes: (value) => `write \`timeout: ${typeof value === 'number' ? value : 20}m\``,
  continue_on_error: 'write `on_failure: continue`',
  allow_failure: 'write `on_failure: continue`',
  retries: 'write `on_failure: retry` and `max_retries`',
  strategy: 'the same steps for each item of a list are `for_each`',
  matrix: 'the same steps for each item of a list are `for_each`',
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
      id: instead('name'),
      agents: noTeam,
      swarm: noTeam,
      management: noManager,
      sentinel: 'write `idle_timeout` and `on_stall` in each step that may fall silent',
      reporting: 'write `hooks`: they run programs and send notices at the start and end of a run',
      task_policy: 'what an agent may do is said by the `capabilities` of its step',
    },
    step: ofStep,
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
