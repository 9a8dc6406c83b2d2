import { describe, expect, it } from 'vitest';
import { act } from '../../../../src/extensions/composer/graph/act.ts';
import type { Act } from '../../../../src/extensions/composer/graph/documents.ts';
import { grammarOf } from '../../../../src/editing/grammar.ts';
import { applyPatches } from '../../../../src/yaml/edit/edit.ts';
import { parseYaml } from '../../../../src/yaml/yaml.ts';
import { languages } from '../../../../src/languages/languages.ts';

/** The text after an act, with its notes; or why it is refused. */
function after(text: string, wish: Act, known = languages): string {
  const read = parseYaml(text, 'x.yaml');
  if (!read.ok) throw new Error(read.problems[0]?.message);
  const { value } = read.value;
  const acted = act(text, value, grammarOf('workflow', value, known), wish);
  if (!acted.ok) return `refused: ${acted.why}`;
  return applyPatches(text, acted.patches) + acted.notes.map((note) => `note: ${note}\n`).join('');
}

const stages = `workflow: { id: ship, name: Ship, version: 1.0.0 }
stages:
  # First the plan.
  - id: plan
    roles: { primary: { artifact: "agent:planner" } } # who

  - id: build
    name: Build it
    depends_on: [plan]
    roles:
      primary:
        artifact: agent:builder
        instructions: >
          Build \${{ stages.plan.outputs.text }}
          as folded lines.
    inputs:
      text: { type: string, source: "\${{ stages.plan.outputs.text }}" }

  - id: approve
    type: gate
    depends_on:
      - plan
      - build # after the build
    gate: { kind: manual_approval }
`;

const steps = `name: ship
version: "1"
timeout: 1h
steps:
  plan: { command: [echo, plan] }
  build:
    depends_on: [plan, { step: plan2, when: steps.plan2.exit_code == 0 }]
    command: [echo, "\${{ steps.plan.output }}"]
  plan2:
    command: [echo, again]
`;

describe('connecting steps', () => {
  it('appends to what a step waits for, and adds the key behind its head', () => {
    expect(after(steps, { do: 'connect', from: 'plan', to: 'plan2' })).toBe(
      steps.replace('  plan2:\n', '  plan2:\n    depends_on: [plan]\n'),
    );
    expect(after(stages, { do: 'connect', from: 'approve', to: 'plan' })).toBe(
      'refused: this would be a cycle: `plan` → `approve` → `plan`',
    );
    const free = stages.replace('    depends_on: [plan]\n', '');
    expect(after(free, { do: 'connect', from: 'plan', to: 'build' })).toBe(
      free.replace('name: Build it\n', 'name: Build it\n    depends_on: [plan]\n'),
    );
  });

  it('is refused for a step itself, twice, in a cycle, and for unknown steps', () => {
    expect(after(steps, { do: 'connect', from: 'plan', to: 'plan' })).toBe(
      'refused: `plan` cannot wait for itself',
    );
    expect(after(steps, { do: 'connect', from: 'plan2', to: 'build' })).toBe(
      'refused: `build` waits for `plan2` already',
    );
    expect(after(stages, { do: 'connect', from: 'approve', to: 'build' })).toBe(
      'refused: this would be a cycle: `build` → `approve` → `build`',
    );
    expect(after(steps, { do: 'connect', from: 'nobody', to: 'plan' })).toBe(
      'refused: there is no step `nobody`',
    );
  });

  it('is undone by removing the entry alone, which names what is still read', () => {
    expect(after(stages, { do: 'disconnect', from: 'plan', to: 'approve' })).toBe(
      stages.replace('      - plan\n', ''),
    );
    const wanted = stages.replace('    depends_on: [plan]\n', '');
    expect(after(stages, { do: 'disconnect', from: 'plan', to: 'build' })).toBe(
      `${wanted}note: \`build\` still reads \`plan\` in \`roles.primary.instructions\`, \`inputs.text.source\`\n`,
    );
    expect(after(steps, { do: 'disconnect', from: 'plan2', to: 'build' })).toBe(
      steps.replace(', { step: plan2, when: steps.plan2.exit_code == 0 }', ''),
    );
    expect(after(steps, { do: 'disconnect', from: 'build', to: 'plan' })).toBe(
      'refused: `plan` does not wait for `build` by `depends_on`: change it in the text',
    );
  });
});

describe('adding, copying and removing steps', () => {
  it('adds a step of a kind with the first free name', () => {
    expect(after(stages, { do: 'add', kind: 'gate', needs: ['approve'] })).toBe(
      `${stages}  - id: gate
    depends_on: [approve]
    type: gate
    gate:
      kind: manual_approval
      message: Continue?
`,
    );
    expect(after(steps, { do: 'add', kind: 'command', id: 'plan' })).toBe(
      `${steps}  plan-3:\n    command: [echo, plan-3]\n`.replaceAll('plan-3', 'plan-2'),
    );
    expect(after(steps, { do: 'add', kind: 'workflow' })).toBe(
      'refused: write a step of the kind `workflow` in the text',
    );
  });

  it('adds a first step where there is none', () => {
    const empty = 'name: x\nversion: "1"\ntimeout: 1h\nsteps: {}\n';
    expect(after(empty, { do: 'add', kind: 'gate', position: [10.4, 20] })).toBe(
      'name: x\nversion: "1"\ntimeout: 1h\nsteps:\n  gate:\n    gate:\n      message: Continue?\n    ui:\n      position: [10, 20]\n',
    );
  });

  it('copies a step with its value, beside the original', () => {
    const placed = steps.replace('echo, again]\n', 'echo, again]\n    ui: { position: [5, 6] }\n');
    expect(after(placed, { do: 'duplicate', steps: ['plan2'] })).toBe(
      `${placed}  plan2-copy:\n    command: [echo, again]\n    ui:\n      position: [45, 46]\n`,
    );
  });

  it('copies several steps with what they are to each other', () => {
    expect(after(steps, { do: 'duplicate', steps: ['plan', 'build'] })).toBe(
      `${steps}  plan-copy:
    command: [echo, plan]
  build-copy:
    depends_on:
      - plan-copy
      - step: plan2
        when: steps.plan2.exit_code == 0
    command: [echo, "\${{ steps.plan-copy.output }}"]
`,
    );
  });

  it('pastes steps under free names, without what they wait for elsewhere', () => {
    const chain = [
      { id: 'plan', value: { command: ['echo', 'other'] } },
      {
        id: 'ship',
        value: { depends_on: ['plan', 'check'], command: ['echo', '${{ steps.plan.output }}'] },
      },
    ];
    expect(after(steps, { do: 'paste', language: 'native', steps: chain })).toBe(
      `${steps}  plan-2:
    command: [echo, other]
  ship:
    depends_on: [plan-2]
    command: [echo, "\${{ steps.plan-2.output }}"]
note: \`ship\` does not wait for \`check\`, which is not here
`,
    );
    const gate = { id: 'plan', type: 'gate', gate: { kind: 'manual_approval' } };
    expect(after(stages, { do: 'paste', language: 'swdl', steps: [{ id: 'plan', value: gate }] })).toBe(
      `${stages}  - id: plan-2\n    type: gate\n    gate:\n      kind: manual_approval\n`,
    );
    expect(after(stages, { do: 'paste', language: 'native', steps: chain })).toBe(
      'refused: steps of the language native do not fit into a workflow of the language swdl',
    );
  });

  it('removes steps with the entries that wait for them, and names what still reads them', () => {
    expect(after(stages, { do: 'remove', steps: ['build'] })).toBe(
      stages.replace(/  - id: build[^]*?source.*\n/, '').replace('      - build # after the build\n', ''),
    );
    expect(after(steps, { do: 'remove', steps: ['plan', 'plan2'] })).toContain(
      'note: `build` still reads `plan` in `command.1`',
    );
    expect(after(steps, { do: 'remove', steps: ['plan', 'plan2', 'build'] })).toBe(
      'refused: a workflow has at least one step',
    );
  });

  it('connects what waited for a removed step with what that waited for', () => {
    const chain =
      'name: x\nversion: "1"\ntimeout: 1h\nsteps:\n  a: { command: [a] }\n  b: { depends_on: [a], command: [b] }\n  c: { depends_on: [b], command: [c] }\n';
    expect(after(chain, { do: 'remove', steps: ['b'], rewire: true })).toBe(
      chain.replace(/  b: .*\n/, '').replace('[b], command: [c]', '[a], command: [c]'),
    );
    expect(after(chain, { do: 'remove', steps: ['b'] })).toBe(
      chain.replace(/  b: .*\n/, '').replace('depends_on: [b], ', ''),
    );
  });
});

describe('names, places and order', () => {
  it('renames a step also where what runs finally reads it', () => {
    const end = `finally:\n  tidy: { command: [echo, "\${{ steps.plan.status }}"] }\n`;
    expect(after(steps + end, { do: 'rename', step: 'plan', name: 'draft' })).toContain(
      end.replace('plan', 'draft'),
    );
  });

  it('renames a step with every reference to it', () => {
    expect(after(stages, { do: 'rename', step: 'plan', name: 'draft' })).toBe(
      stages
        .replace('id: plan', 'id: draft')
        .replaceAll('stages.plan.', 'stages.draft.')
        .replace('[plan]', '[draft]')
        .replace('- plan\n', '- draft\n'),
    );
    expect(after(stages, { do: 'rename', step: 'plan', name: 'build' })).toBe(
      'refused: `build` is a name of this file already',
    );
  });

  it('places steps, and places them automatically again', () => {
    const moved = after(stages, { do: 'move', positions: { plan: [10.4, -20.6], approve: [1, 2] } });
    expect(moved).toBe(
      stages
        .replace('} # who\n', '} # who\n    ui:\n      position: [10, -21]\n')
        .replace('kind: manual_approval }\n', 'kind: manual_approval }\n    ui:\n      position: [1, 2]\n'),
    );
    expect(after(moved, { do: 'arrange' })).toBe(stages);
    const colored = moved.replace('position: [1, 2]', 'color: teal');
    expect(after(colored, { do: 'move', positions: { approve: [3, 4] } })).toBe(
      colored.replace('color: teal', 'color: teal\n      position: [3, 4]'),
    );
  });

  it('moves a step with its comments in the file', () => {
    expect(after(steps, { do: 'reorder', step: 'plan2', before: 'build' })).toBe(
      steps
        .replace('  plan2:\n    command: [echo, again]\n', '')
        .replace('  build:\n', '  plan2:\n    command: [echo, again]\n  build:\n'),
    );
    expect(after(steps, { do: 'reorder', step: 'plan', before: null })).toBe(
      `${steps.replace('  plan: { command: [echo, plan] }\n', '')}  plan: { command: [echo, plan] }\n`,
    );
    const inline =
      'name: x\nversion: "1"\ntimeout: 1h\nsteps: { a: { command: [a] }, b: { command: [b] } }\n';
    expect(after(inline, { do: 'reorder', step: 'b', before: 'a' })).toBe(
      'refused: these steps are not in lines of their own: move them in the text',
    );
  });
});

describe('the items of a list', () => {
  const list = (text: string) =>
    `workflow: { id: w, name: W, version: 1.0.0 }\ncontext:\n${text}stages: [{ id: a }]\n`;
  const swapped = (text: string, index: number) =>
    after(list(text), { do: 'swap', path: ['context', 'global_modules', index] });

  it('change places with their comments and quotes', () => {
    const [one, two, three] = ['    - "ctx:a" # first\n', '    # About b.\n    - ctx:b\n', "    - 'ctx:c'\n"];
    const of = (...items: readonly string[]) => `  global_modules:\n${items.join('')}`;
    expect(swapped(of(one, two, three), 1)).toBe(list(of(two, one, three)));
    expect(swapped(of(one, two, three), 2)).toBe(list(of(one, three, two)));
    expect(swapped('  global_modules: [ "ctx:a",  ctx:b ] # two\n', 1)).toBe(
      list('  global_modules: [ ctx:b,  "ctx:a" ] # two\n'),
    );
    const crlf = list(of(one, two)).replaceAll('\n', '\r\n');
    expect(after(`\ufeff${crlf}`, { do: 'swap', path: ['context', 'global_modules', 1] })).toBe(
      `\ufeff${list(of(two, one)).replaceAll('\n', '\r\n')}`,
    );
  });

  it('stay where there is no other one, or none that can be moved', () => {
    const byHand = 'refused: these items cannot change places here: move them in the text';
    expect(swapped('  global_modules: [ctx:a, ctx:b]\n', 0)).toBe(byHand);
    expect(swapped('  global_modules: [ctx:a, ctx:b]\n', 2)).toBe(byHand);
    const open = `${list('').replace('context:\n', '')}context:\n  global_modules:\n    - ctx:a\n    - ctx:b`;
    expect(after(open, { do: 'swap', path: ['context', 'global_modules', 1] })).toBe(byHand);
    expect(swapped('  memory: {}\n', 1)).toBe('refused: there is no list `context.global_modules`');
  });
});

describe('values and artifacts', () => {
  it('adds the mappings above a value, and removes those that become empty', () => {
    const path = ['stages', 0, 'error_policy', 'retry', 'max_attempts'];
    const set = after(stages, { do: 'set', path, value: 3 });
    expect(set).toBe(
      stages.replace('} # who\n', '} # who\n    error_policy:\n      retry:\n        max_attempts: 3\n'),
    );
    expect(after(set, { do: 'unset', path })).toBe(stages);
    expect(after(set, { do: 'set', path, value: 4 })).toBe(set.replace('attempts: 3', 'attempts: 4'));
    expect(after(steps, { do: 'unset', path: ['timeout'] })).toBe(steps.replace('timeout: 1h\n', ''));
  });

  it('quotes what YAML would misread', () => {
    const path = ['stages', 1, 'condition'];
    expect(after(stages, { do: 'set', path, value: '${{ a ? b : c }}' })).toContain(
      'condition: "${{ a ? b : c }}"',
    );
    expect(after(stages, { do: 'set', path: ['stages', 1, 'name'], value: 'yes' })).toContain('name: "yes"');
  });

  it('gives artifacts to stages that can have them', () => {
    expect(after(stages, { do: 'use', artifact: 'agent:writer', step: 'build' })).toBe(
      stages.replace('agent:builder', 'agent:writer'),
    );
    expect(after(stages, { do: 'use', artifact: 'skill:search', step: 'plan' })).toBe(
      stages.replace('"agent:planner" }', '"agent:planner" }, tools: [skill:search]'),
    );
    expect(after(stages, { do: 'use', artifact: 'ctx:style', step: null })).toBe(
      `${stages}context:\n  global_modules: [ctx:style]\n`,
    );
    expect(after(stages, { do: 'use', artifact: 'skill:search', step: 'approve' })).toBe(
      'refused: `approve` is a gate: a person answers it, and needs no `skill:search`',
    );
    expect(after(stages, { do: 'use', artifact: 'memory:x', step: 'build' })).toBe(
      'refused: `memory:x` cannot be given to a step',
    );
    expect(after(steps, { do: 'use', artifact: 'agent:x', step: 'build' })).toBe(
      'refused: steps of this language have no artifacts: write `agent` or `mcp` in the step',
    );
  });

  it('refuses everything in a language whose steps are no graph', () => {
    const [native] = languages;
    const ungraphed = { ...native, editor: { ...native.editor, graph: null } };
    expect(after(steps, { do: 'arrange' }, [ungraphed])).toBe(
      'refused: workflows of this language are changed in the text',
    );
  });
});
