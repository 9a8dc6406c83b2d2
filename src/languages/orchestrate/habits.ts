import { argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';

const ofStep: Readonly<Record<string, KeyHint>> = {
  on_success: 'it is `on: { success: { goto: … } }`',
  on_failure: 'it is `on: { failure: { goto: … } }`',
  on_timeout: 'it is `on: { timeout: { goto: … } }`',
  next: 'it is `on: { success: { goto: … } }`',
  goto: 'it is `on: { success: { goto: … } }`',
  depends_on: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  needs: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  if: 'it is `when`',
  condition: 'it is `when`',
  run: (value) =>
    typeof value === 'string'
      ? `write \`command: ${argvText(value)}\``
      : 'it is `command: [program, argument]`; a script is `command: [sh, -c, "…"]`',
  script: 'it is `command: [sh, -c, "…"]`',
  shell: 'it is `command: [sh, -c, "…"]`',
  prompt: 'a prompt is a file: `prompt_file: prompts/a.md`',
  instructions: 'a prompt is a file: `prompt_file: prompts/a.md`',
  input: 'it is `input_file`',
  inputs: 'it is `input_file`',
  output: 'it is `output_file`',
  outputs: 'it is `output_file`',
  attempts: 'it is `retry: { attempts: … }`',
  in: 'it is `items`',
  do: 'it is `steps`',
  worker: 'it is `provider`: claude, openai or gemini',
  role: 'it is `provider`: claude, openai or gemini',
  uses: 'actions cannot run here: `command` runs a program',
  id: 'it is `name`',
  env: 'variables that may be read are named under `env` of the workflow',
};

/** What authors of other languages and tools write in a workflow of this one. */
export const habits: Habits = {
  keys: {
    step: ofStep,
    loop: ofStep,
    'while loop': ofStep,
    workflow: {
      on: 'a native workflow has `triggers`; a step has `on`, which says where to continue',
      jobs: 'it is `steps`, a list',
      stages: 'it is `steps`, a list',
      parameters: 'what a run is given stands under `context`',
      inputs: 'what a run is given stands under `context`',
    },
  },
};
