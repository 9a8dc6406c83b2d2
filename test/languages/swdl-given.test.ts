import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { machineLanguage } from '../../src/workflow/machine/language.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { head, read, withFiles } from './swdl.ts';

/*
 * What a run, an agent and a stage of the swdl language are given, and what they are not.
 */

describe('a run that begins', () => {
  const begins = (stages: string, given: readonly string[], only: string | null = null) => {
    const starting = { context: new Set(given), only };
    const result = parseWorkflow(`${head}stages:\n${stages}`, 'w.yaml', withFiles({}, { starting }));
    return (result.ok ? result.warnings : result.problems).map(({ code, message, hint, place }) =>
      [code, place?.line, message, hint].join(' | '),
    );
  };
  const reads = (id: string, source: string, more = '') =>
    `  - { id: ${id}, roles: { primary: { artifact: "agent:plain" } }, inputs: { of: { type: string, source: "${source}"${more} } } }\n`;
  const required = ', required: true';
  const error = 'E_VAR_MISSING | 3 | nothing sets `context.key` | ';

  test('is refused for a value of `context` that a stage surely needs', () => {
    const one = reads('one', '${{ context.key }}', required);
    expect(begins(one, [])).toEqual([`${error}give it by \`--context key=…\``]);
    expect(begins(one, ['kay'])).toEqual([`${error}did you mean \`kay\`?`]);
    expect(begins(one, ['key'])).toEqual([]);
    expect(begins(one, ['KEY'])).toEqual([]);
    const said = reads('one', 'about ${{ toJSON(context.key) }}', required);
    expect(begins(said, [])).toEqual([`${error}give it by \`--context key=…\``]);
  });

  test('is not refused where the stage may do without it, or is not run', () => {
    const fallback = reads('one', "${{ default(context.key, 'x') }}", required);
    const perhaps = reads('one', '${{ run.id ? context.key : run.id }}', required);
    for (const stage of [reads('one', '${{ context.key }}'), fallback, perhaps])
      expect(begins(stage, [])).toEqual([]);
    const gate = `  - { id: g, type: gate, gate: { kind: manual_approval }, condition: "\${{ context.ask == 1 }}" }\n`;
    const behind = reads('one', '${{ context.key }}', required).replace(
      '{ id: one',
      '{ depends_on: [g], id: one',
    );
    expect(begins(gate + behind, [])).toEqual([]);
    const two = reads('one', '${{ context.key }}', required) + reads('two', '${{ run.id }}');
    expect(begins(two, [], 'two')).toEqual([]);
    expect(begins(two, [], 'one')).toHaveLength(1);
  });
});

describe('an agent of Claude Code', () => {
  const about = (tools: string) => {
    const files = { '.claude/agents/theirs.md': `---\nname: theirs\ntools: ${tools}\n---\nTheirs.\n` };
    const text = `${head}stages:\n  - { id: one, roles: { primary: { artifact: "agent:theirs" } } }\n`;
    const result = parseWorkflow(text, 'w.yaml', withFiles(files));
    return result.ok
      ? result.warnings.map(({ message, hint }) => `${message} | ${String(hint)}`)
      : ['it is wrong'];
  };

  test('is warned of for tools that no capability gives it', () => {
    expect(about('Read, Grep, Bash(npm test:*), Edit')).toEqual([]);
    expect(about('Read, WebSearch, Skill')).toEqual([
      '`agent:theirs` is not given WebSearch, Skill: no capability stands for it | remove it from `tools` of the file of the agent',
    ]);
    expect(about('[Read, mcp__gh__list]')).toEqual([
      '`agent:theirs` is not given mcp__gh__list: no capability stands for it | name MCP servers under `roles.tools`: `mcp:<name>`',
    ]);
  });
});

describe('what a stage is handed', () => {
  const outputs = 'outputs: { note: { type: string }, list: { type: array }, more: { type: integer } }';
  const handed = (more: string, format = 'structured') => {
    const giver = `  - { id: a, roles: { primary: { artifact: "agent:plain" } }, ${outputs}, handoff: { format: ${format} } }\n`;
    const { body } = read(`${head}stages:\n${giver}  - { id: b, depends_on: [a], ${more} }\n`);
    const [, step] = body.steps;
    const inner = step?.work.kind === 'for-each' ? step.work.body.steps[0] : step;
    const context = {
      steps: { a: { status: 'SUCCEEDED', output: 'said', values: { note: 'n', list: [1], more: 5 } } },
    };
    return (inner?.promptInputs ?? []).flatMap(({ name, source: [part] }) => {
      if (!name.startsWith('handed over') || part?.kind !== 'expression') return [];
      const value = evaluate(part.tree, context, machineLanguage, 'value');
      return value.ok ? [value.value] : ['it fails'];
    });
  };
  const work = 'roles: { primary: { artifact: "agent:plain" } }';
  const input = (source: string) => `{ type: object, source: "\${{ ${source} }}" }`;

  test('is not what it reads already', () => {
    expect(handed(work)).toEqual([{ note: 'n', list: [1], more: 5 }]);
    const note = `${work}, inputs: { x: ${input('stages.a.outputs.note')} }`;
    expect(handed(note)).toEqual([{ list: [1], more: 5 }]);
    expect(handed(note, 'markdown')).toEqual(['## list\n\n[1]\n\n## more\n\n5\n\n']);
    expect(handed(note, 'raw')).toEqual(['said']);
    expect(handed(`${work}, inputs: { x: ${input('stages.a.outputs')} }`)).toEqual([]);
    expect(handed(`${work}, inputs: { x: ${input('toJSON(stages.a.outputs.note)')} }`)).toHaveLength(1);
    const all = ['note', 'list', 'more'].map((name) => `${name}: ${input(`stages.a.outputs.${name}`)}`);
    expect(handed(`${work}, inputs: { ${all.join(', ')} }`)).toEqual([]);
  });

  test('is not the whole list where it does one item of it', () => {
    const fanOut = `type: fan_out, fan_out: { source: "\${{ stages.a.outputs.list }}", stage_template: { ${work} } }`;
    expect(handed(fanOut)).toEqual([{ note: 'n', more: 5 }]);
  });
});
