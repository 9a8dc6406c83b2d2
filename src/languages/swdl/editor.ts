import type { JsonObject } from '../../kernel/json.ts';
import { borrowed, type LanguageEditor, type Layout, type Starter } from '../shared/editor.ts';
import { keysOfKinds } from './kinds.ts';
import { languageAt, swdlVocabulary } from './language.ts';

const ofType = (type: string) => (step: JsonObject) => step['type'] === type;
const agentRoles = (like: readonly JsonObject[]): JsonObject => ({
  primary: { artifact: borrowed(like, 'roles', 'primary', 'artifact') ?? 'agent:worker' },
});

const graph: Layout = {
  steps: 'stages',
  id: 'id',
  condition: 'condition',
  head: ['id', 'name', 'description'],
  kinds: [
    {
      name: 'gate',
      keys: keysOfKinds.gate,
      fits: ofType('gate'),
      make: () => ({ type: 'gate', gate: { kind: 'manual_approval', message: 'Continue?' } }),
    },
    {
      name: 'fan_out',
      keys: keysOfKinds.fan_out,
      fits: ofType('fan_out'),
      make: (_name, like) => ({
        type: 'fan_out',
        fan_out: { source: ['first'], stage_template: { roles: agentRoles(like) } },
      }),
    },
    {
      name: 'agent',
      keys: keysOfKinds.agent,
      fits: () => true,
      make: (_name, like) => ({ roles: agentRoles(like) }),
    },
  ],
};

export const swdlEditor: LanguageEditor = {
  names: [
    { kind: 'step', path: /^stages\/\d+\/id$/, defines: true },
    { kind: 'step', path: /^stages\/\d+\/depends_on\/\d+$/ },
    { kind: 'parameter', path: /^config\/parameters\/[^/]+$/, isKey: true, defines: true },
  ],
  expressions: {
    opening: '${{',
    language: languageAt({ item: true }),
    vocabulary: swdlVocabulary,
    bare: /\/condition$/,
  },
  graph,
};

/** A workflow with one stage, which asks whether to continue. */
export const starter: Starter = {
  text: `workflow:
  id: x
  name: x
  version: 1.0.0
stages:
  - id: first
    type: gate
    gate:
      kind: manual_approval
      message: Continue?
`,
  places: { id: ['workflow', 'id'], name: ['workflow', 'name'], version: ['workflow', 'version'] },
};
