import { argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';

const command: KeyHint = (value) => {
  if (typeof value === 'string' && !value.trim().includes('\n'))
    return `write \`command: ${argvText(value)}\``;
  return 'a program is `command: [npm, test]`, a script `worker: CUSTOM` with the script as `instructions`';
};

const instead = (key: string): string => `did you mean \`${key}\`?`;

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
  runs_on: 'steps run on this machine: remove it',
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
    },
    step: ofStep,
    'completion check': { run: command, script: command, permissions: instead('capabilities') },
    hook: {
      command: (value) => `write \`run: ${typeof value === 'string' ? argvText(value) : '[npm, test]'}\``,
    },
  },
  values: {
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
