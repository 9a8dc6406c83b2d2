import type { JsonObject } from '../../kernel/json.ts';
import { insideLoop, insideRound, nativeLanguage } from '../../workflow/machine/language.ts';
import { borrowed, type LanguageEditor, type Layout, type StepKind } from '../shared/editor.ts';
import { keysOfKinds, workers } from './kinds.ts';
import { nativeVocabulary } from './vocabulary.ts';

/** Who does the work of the first step that says it. */
function workerOf(like: readonly JsonObject[]): JsonObject {
  for (const key of ['agent', 'role', 'provider', 'worker']) {
    const found = borrowed(like, key);
    if (typeof found === 'string' && found !== 'CUSTOM') return { [key]: found };
  }
  return { worker: 'CLAUDE_CODE' };
}

function stepKind(name: Exclude<keyof typeof keysOfKinds, 'worker'>, make: StepKind['make']): StepKind {
  return {
    name,
    keys: [name, ...keysOfKinds[name]],
    fits: (step) => Object.hasOwn(step, name),
    make,
  };
}

const graph: Layout = {
  steps: 'steps',
  id: null,
  condition: 'when',
  head: ['description'],
  kinds: [
    {
      name: 'merge',
      // A worker beside it resolves conflicts.
      keys: [...new Set(['merge', ...workers, ...keysOfKinds.merge, ...keysOfKinds.agent])],
      fits: (step) => Object.hasOwn(step, 'merge'),
      make: () => null,
    },
    stepKind('land', () => null),
    stepKind('command', (name) => ({ command: ['echo', name] })),
    stepKind('gate', () => ({ gate: { message: 'Continue?' } })),
    stepKind('for_each', () => ({
      for_each: { items: ['first'], steps: { work: { command: ['echo', '${{ item }}'] } } },
    })),
    stepKind('while', () => ({
      while: {
        condition: '${{ loop.iteration < 3 }}',
        max_iterations: 3,
        steps: { work: { command: ['echo', 'again'] } },
      },
    })),
    stepKind('set', () => null),
    stepKind('route', () => null),
    stepKind('fail', () => ({ fail: 'Say why the run fails.' })),
    stepKind('workflow', () => null),
    {
      name: 'agent',
      keys: [...new Set(['agent', 'role', 'provider', 'worker', ...keysOfKinds.agent, ...keysOfKinds.role])],
      fits: () => true,
      make: (_name, like) => ({
        ...workerOf(like),
        capabilities: ['READ'],
        instructions: 'Say what is to be done.',
      }),
    },
  ],
};

export const nativeEditor: LanguageEditor = {
  names: [
    {
      kind: 'step',
      path: /^(?:(?:.*\/(?:for_each|while)\/)?steps|finally)\/[^/]+$/,
      isKey: true,
      defines: true,
    },
    { kind: 'step', path: /\/depends_on\/\d+(?:\/step)?$/ },
    { kind: 'step', path: /\/inputs\/\d+\/from$/ },
    { kind: 'step', path: /^(?:.*\/)?steps\/[^/]+\/merge\/\d+$/ },
    { kind: 'step', path: /\/next\/(?:success|failure|timeout)$/ },
    { kind: 'step', path: /\/route\/\d+\/to$/ },
    { kind: 'step', path: /\/for_each\/gives$/ },
    { kind: 'step', path: /^branch_transition_step$|^branch\/after$/ },
    { kind: 'artifact', path: /\/outputs\/\d+\/name$/, defines: true },
    { kind: 'artifact', path: /\/inputs\/\d+\/artifact$/ },
    { kind: 'parameter', path: /^parameters\/[^/]+$/, isKey: true, defines: true },
    { kind: 'role', path: /\/role(?:\/\d+)?$/ },
    { kind: 'agent', path: /\/agent$/ },
    { kind: 'provider', path: /\/provider$/ },
    { kind: 'file', path: /\/workflow$/ },
  ],
  expressions: {
    opening: '${{',
    language: insideRound(insideLoop(nativeLanguage, 'item')),
    vocabulary: nativeVocabulary,
    bare: /\/(?:when|condition|items|for_each\/key|filter)$/,
  },
  graph,
};
