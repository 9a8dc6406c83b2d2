import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc, { runs } from '../../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { act } from '../../../../src/extensions/composer/graph/act.ts';
import type { Act } from '../../../../src/extensions/composer/graph/documents.ts';
import { writtenSteps } from '../../../../src/extensions/composer/graph/written.ts';
import { grammarOf } from '../../../../src/editing/grammar.ts';
import { kindOf } from '../../../../src/editing/kind.ts';
import type { Json } from '../../../../src/kernel/json.ts';
import { applyPatches, invertPatches, type Patch } from '../../../../src/yaml/edit/edit.ts';
import { parseYaml } from '../../../../src/yaml/yaml.ts';
import { languages } from '../../../../src/languages/languages.ts';

/* Acts on the graphs of the workflows of this repository: whatever a person does, undo gives the first bytes. */

const folder = fileURLToPath(new URL('../../../../workflows/', import.meta.url));
const plain = readdirSync(folder)
  .filter((name) => /\.(?:yaml|json)$/.test(name))
  .map((name) => readFileSync(`${folder}${name}`, 'utf8'))
  .filter((text) => kindOf('x.yaml', false, text, languages) === 'workflow')
  .filter((text) => grammarOf('workflow', valueOf(text), languages).graph !== null);
const texts = [
  ...plain,
  ...plain.slice(0, 5).map((text) => `\ufeff${text.replaceAll('\n', '\r\n')}`),
  ...plain.slice(5, 8).map((text) => text.trimEnd()),
];

function valueOf(text: string): Json {
  const read = parseYaml(text, 'x.yaml');
  if (!read.ok) throw new Error(`${read.problems[0]?.message}\n${text}`);
  return read.value.value;
}

/** An act as numbers that become names when it is known which there are. */
interface Wish {
  readonly kind: number;
  readonly one: number;
  readonly other: number;
  readonly place: [number, number];
}

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.nat(11),
  one: fc.nat(20),
  other: fc.nat(20),
  place: fc.tuple(fc.integer({ min: -900, max: 900 }), fc.integer({ min: -900, max: 900 })),
});

function actOf({ kind, one, other, place }: Wish, text: string): Act {
  const value = valueOf(text);
  const layout = grammarOf('workflow', value, languages).graph!;
  const steps = writtenSteps(value, layout);
  const [from, to] = [steps[one % steps.length]!, steps[other % steps.length]!];
  const kinds = layout.kinds.map(({ name }) => name);
  const acts: readonly Act[] = [
    { do: 'add', kind: kinds[other % kinds.length]!, needs: [from.id] },
    { do: 'duplicate', steps: [from.id] },
    { do: 'remove', steps: [from.id], rewire: other % 2 === 0 },
    { do: 'rename', step: from.id, name: `renamed-${String(other)}` },
    { do: 'connect', from: from.id, to: to.id },
    { do: 'disconnect', from: from.id, to: to.id },
    { do: 'move', positions: { [from.id]: place, [to.id]: [0, 0] } },
    { do: 'reorder', step: from.id, before: other % 3 === 0 ? null : to.id },
    { do: 'set', path: [...from.path, 'ui', 'color'], value: 'teal' },
    { do: 'arrange' },
    { do: 'paste', language: grammarOf('workflow', value, languages).name, steps: [from, to] },
    { do: 'swap', path: [...from.path, 'depends_on', 1 + (other % 2)] },
  ];
  return acts[kind]!;
}

it('any acts and then their inverses give the first bytes, and every text on the way is read', () => {
  const undone: string[] = [];
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(wish, { minLength: 1, maxLength: 6 }),
      (first, wishes) => {
        let text = first;
        const inverses: (readonly Patch[])[] = [];
        for (const each of wishes) {
          const value = valueOf(text);
          const acted = act(text, value, grammarOf('workflow', value, languages), actOf(each, text));
          if (!acted.ok) continue;
          inverses.push(invertPatches(text, acted.patches));
          text = applyPatches(text, acted.patches);
          undone.push(actOf(each, first).do);
        }
        for (const patches of inverses.toReversed()) text = applyPatches(text, patches);
        expect(text).toBe(first);
      },
    ),
    { numRuns: runs(38) },
  );
  // Most acts are done, and not refused.
  expect(new Set(undone).size).toBeGreaterThan(7);
});

it('an act on one step changes no line of another', () => {
  fc.assert(
    fc.property(fc.constantFrom(...plain), fc.nat(20), (text, index) => {
      const value = valueOf(text);
      const grammar = grammarOf('workflow', value, languages);
      const steps = writtenSteps(value, grammar.graph!);
      const { id } = steps[index % steps.length]!;
      const acted = act(text, value, grammar, { do: 'move', positions: { [id]: [1, 2] } });
      expect(acted.ok).toBe(true);
      if (!acted.ok) return;
      const lines = applyPatches(text, acted.patches).split('\n');
      const own = text.split('\n');
      expect(own.filter((line) => !lines.includes(line)).length).toBeLessThanOrEqual(1);
      const after = writtenSteps(valueOf(lines.join('\n')), grammar.graph!);
      const others = (all: typeof steps) => all.filter((each) => each.id !== id).map((each) => each.value);
      expect(others(after)).toEqual(others(steps));
    }),
    { numRuns: runs(15) },
  );
});
