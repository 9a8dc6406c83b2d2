import { didYouMean } from '../../kernel/nearest.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Habits } from '../../yaml/suggest.ts';
import { typeNames } from './types.ts';

type Hints = Readonly<Record<string, string>>;

const secrets = 'a native workflow has `secrets`; here agents use what their own program is logged in with';

/** Replacements for keys that a stage does not have. */
const ofStage: Hints = {
  parallel_group: 'stages that do not depend on each other run at the same time',
  needs: 'the stages that must be over first stand under `depends_on`',
  on_failure:
    'it stands under `error_policy`; where a failure leads to another stage, give that one a `condition` on its status',
  continue_on_error: 'it is `error_policy: { on_failure: continue }`',
  retry: 'it stands under `error_policy`',
  timeout: 'it stands under `error_policy`',
  timeout_minutes: 'it is `error_policy: { timeout: 30m }`',
  secrets,
  credentials: secrets,
  strategy: 'a stage of the type fan_out is run for each item of a list',
  matrix: 'a stage of the type fan_out is run for each item of a list',
  agent: 'it is `roles: { primary: { artifact: "agent:<name>" } }`',
  run: 'a stage is done by an agent; commands run in `hooks`, or as steps of a native workflow',
  command: 'a stage is done by an agent; commands run in `hooks`, or as steps of a native workflow',
  uses: 'a stage names its agent: `roles: { primary: { artifact: "agent:<name>" } }`',
  with: 'what a stage gets stands under `inputs`',
  worker: 'which program an agent runs on is said by its `provider`, in the protocol or in mailroom.yaml',
  provider: 'which program an agent runs on is said by its `provider`, in the protocol or in mailroom.yaml',
  if: 'it is `condition`',
  when: 'it is `condition`',
  steps: 'a stage is done by one agent; several stages depend on each other by `depends_on`',
  context_policy: 'it is `context: { modules: […] }`',
  env: 'variables of all stages stand under `config.env`; what only this stage needs is one of its `inputs`',
  parameters: 'they stand under `config.parameters`; a stage reads them by its `inputs`',
  artifact: 'it stands under `roles.primary`',
  model: 'it stands under `roles.primary`',
  instructions: 'it stands under `roles.primary`',
  tools: 'it stands under `roles`',
  modules: 'it stands under `context`',
  memory: 'it stands under `context`',
  approvers: 'it stands under `gate`',
  on_timeout: 'it stands under `gate`',
  stage_template: 'it stands under `fan_out`',
  max_attempts: 'it stands under `error_policy.retry`',
  budget: '`run --budget` bounds the run; a native workflow has `budget` for a step',
};

/** Replacements for keys that a file does not have. */
const ofFile: Hints = {
  id: 'it stands under `workflow`',
  name: 'it stands under `workflow`',
  version: 'it stands under `workflow`',
  description: 'it stands under `workflow`',
  author: 'it stands under `workflow`',
  tags: 'it stands under `workflow`',
  timeout: 'that of the run is `config.timeout`, that of a stage `error_policy.timeout` of the stage',
  parameters: 'they stand under `config`',
  inputs: 'what a run is given stands under `config.parameters`',
  env: 'it stands under `config`',
  memory: 'it stands under `context`',
  modules: 'it is `context: { global_modules: […] }`',
  global_modules: 'it stands under `context`',
  retry: 'it is `error_policy: { default_retry: … }`',
  on_failure: 'it is `error_policy: { on_stage_failure: … }`; a command at the end is `hooks.on_failure`',
  on_start: 'it stands under `hooks`',
  on_complete: 'it stands under `hooks`',
  parallel_group: ofStage['parallel_group']!,
  secrets,
  credentials: secrets,
  budget: '`run --budget` bounds the run',
  on: 'a native workflow has `triggers`',
  triggers: 'a native workflow has `triggers`',
  jobs: 'they are `stages`, a list',
  steps: 'they are `stages`, a list',
};

/** What authors of other languages and tools write in a workflow of this one. */
export const habits: Habits = {
  keys: {
    stage: ofStage,
    'workflow file': ofFile,
    "workflow's error policy": {
      retry: 'for the whole workflow it is `default_retry`',
      max_attempts: 'it stands under `default_retry`',
      on_failure: 'for the whole workflow it is `on_stage_failure`',
      timeout: 'a stage has it under its own `error_policy`; that of the run is `config.timeout`',
    },
    'error policy': {
      default_retry: 'in a stage it is `retry`',
      max_attempts: 'it stands under `retry`',
      on_stage_failure: 'in a stage it is `on_failure`',
    },
    "stage template's error policy": {
      on_failure: 'it stands under `error_policy` of the stage itself, and holds for every item',
    },
  },
};

/** Names of types in other languages. */
const typeAliases: Hints = {
  str: 'string',
  text: 'string',
  int: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  json: 'object',
  list: 'array<string>',
};

/** A better hint for a wrong value, from its message; null: none. */
export function betterHint(message: string): string | null {
  const [, type] = /^`type` must be a type: .*, not `(.*)`$/s.exec(message) ?? [];
  if (type !== undefined) return typeHint(type);
  if (message.startsWith('`on_failure` must be halt'))
    return 'what undoes a run is said of the whole workflow: `error_policy: { on_stage_failure: rollback }`';
  if (message.startsWith('`version` must be a semantic version'))
    return 'write three numbers, in quotes: "1.0.0"';
  return null;
}

/** The likely intended type for an unknown one. */
function typeHint(type: string): string {
  const alias = ownValue(typeAliases, type.toLowerCase());
  if (alias !== undefined) return `did you mean \`${alias}\`?`;
  const isList = /^array|\[|</.test(type);
  return (isList ? null : didYouMean(type, typeNames)) ?? 'a list of strings is `array<string>`';
}
