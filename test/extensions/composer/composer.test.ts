import { describe, expect, it } from 'vitest';
import { composedDocument, formsDocument, type Draft } from '../../../src/extensions/composer/documents.ts';
import { planDocument } from '../../../src/documents/workflows.ts';
import { grammarOf, workflowGrammar } from '../../../src/editing/grammar.ts';
import { applyPatches } from '../../../src/yaml/edit/edit.ts';
import { parseYaml } from '../../../src/yaml/yaml.ts';
import { reader } from '../../server/http/api-fixture.ts';
import { composerApi } from './composer-api.ts';
import { languages } from '../../../src/languages/languages.ts';

const flow = `name: flow
version: "1"
timeout: 10m
steps:
  build: { command: [echo, built] }
  test:
    depends_on: [build]
    command: [echo, "\${{ steps.build.output }}"]
`;

async function composed(text: string, act?: object, stored = flow): Promise<Draft> {
  const api = composerApi();
  api.project.disk.plant('workflows/flow.yaml', stored);
  const body = act === undefined ? { text } : { text, act };
  const { status, document } = await api.post(
    '/api/v1/workflows/workflows%2Fflow.yaml/compose',
    body as never,
  );
  expect(status).toBe(200);
  return composedDocument.parse(document);
}

describe('the stored text', () => {
  it('is what a request without a text is about, and comes with it', async () => {
    const api = composerApi();
    api.project.disk.plant('workflows/flow.yaml', flow);
    const path = '/api/v1/workflows/workflows%2Fflow.yaml';
    const { document } = await api.post(`${path}/compose`, {});
    const { stored, steps } = composedDocument.parse(document);
    const { revision } = (await api.get(path)).document as { revision: string };
    expect(stored).toEqual({ text: flow, revision, overridden: [] });
    expect(steps.map(({ id }) => id)).toEqual(['build', 'test']);
    expect((await composed(flow)).stored).toBeNull();
  });
});

describe('a text that is not saved', () => {
  it('has the lines of its steps, also where comments, blocks and flows stand between them', async () => {
    const text = `${flow}  # about it\n  last:\n    instructions: |\n      one\n\n      two\n\n    # of nothing\n`;
    const lines = (await composed(text)).steps.map((step) => step.lines);
    expect(lines).toEqual([
      [5, 5],
      [6, 8],
      [10, 14],
    ]);
    const script = `${flow}  last:\n    instructions: |\n      one\n      # two\n`;
    expect((await composed(script)).steps.at(-1)?.lines).toEqual([9, 12]);
    const flowed =
      text.slice(0, text.indexOf('steps:')) +
      'steps: {\n  a: { command: [echo] },\n  b: { command: [echo],\n    timeout: 5m } }\n';
    expect((await composed(flowed)).steps.map((step) => step.lines)).toEqual([
      [5, 5],
      [6, 7],
    ]);
  });

  it('shows what its prompts would have now, as its plan does', async () => {
    const api = composerApi();
    const path = '/api/v1/workflows/workflows%2Freview.yaml';
    const stored = `workflow: { id: review, name: Review, version: 1.0.0 }
stages:
  - { id: draft, roles: { primary: { artifact: "agent:writer" } } }
`;
    api.project.disk.plant('workflows/review.yaml', stored);
    api.project.disk.plant('agents/writer/role.md', 'You write.\n');
    api.project.disk.plant('memory/short.md', 'Short.\n');
    api.project.disk.plant('memory/long.md', `${'long '.repeat(50)}\n`);
    const text = `${stored}context: { memory: { max_tokens: 10 } }\n`;
    const asked = await api.post(`${path}/compose`, { text });
    const { promptContexts } = composedDocument.parse(asked.document);
    expect(promptContexts.map(({ step, memory }) => [step, memory?.packed, memory?.noRoom])).toEqual(
      [null, 'draft'].map((step) => [
        step,
        [{ file: 'memory/short.md', category: null, confidence: 1, tokens: 2 }],
        [{ file: 'memory/long.md', category: null, confidence: 1, tokens: 63 }],
      ]),
    );
    const plan = await api.post(`${path}/plan`, { text });
    expect(planDocument.parse(plan.document).promptContexts).toEqual(promptContexts);
    const before = composedDocument.parse((await api.post(`${path}/compose`, {})).document);
    expect(before.promptContexts.map(({ memory }) => memory)).toEqual([null, null]);
  });

  it('is shown as a graph with its problems at their steps', async () => {
    const text = flow.replace('[build]', '[build, tset]').replace('timeout: 10m\n', 'timeout: soon\n');
    const { ok, steps, edges, problems, language } = await composed(text);
    expect({ ok, language }).toEqual({ ok: false, language: 'native' });
    expect(steps.map(({ id, kind, lines }) => [id, kind, lines])).toEqual([
      ['build', 'command', [5, 5]],
      ['test', 'command', [6, 8]],
    ]);
    expect(edges).toEqual([{ from: 'build', to: 'test', when: null, implied: false }]);
    expect(problems.map(({ path, step }) => [path.join('.'), step])).toEqual([
      ['timeout', null],
      ['steps.test.depends_on.1', 'test'],
    ]);
  });

  it('with a syntax error has no definition, and only its problems', async () => {
    const { definition, steps, problems, refused } = await composed(`${flow}  bad: [`, { do: 'arrange' });
    expect(definition).toBeNull();
    expect(steps).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(refused).toBe('the text has errors: correct them first');
  });

  it('is changed by an act, whose patches lead to what is shown', async () => {
    const { patches, refused, edges } = await composed(flow, { do: 'disconnect', from: 'build', to: 'test' });
    expect(refused).toBeNull();
    expect(applyPatches(flow, patches)).toBe(flow.replace('    depends_on: [build]\n', ''));
    expect(edges).toEqual([]);
  });

  it('shows steps of the other languages as the engine orders them', async () => {
    const text = `version: "1.0"
name: Two
steps:
  - { name: Build, command: [echo, build], on: { success: { goto: Test }, failure: { error: lost } } }
  - { name: Test, command: [echo, test], on: { success: { goto: _end }, failure: { error: lost } } }
`;
    const { editable, steps, language } = await composed(text);
    expect({ editable, language }).toEqual({ editable: false, language: 'orchestrate' });
    expect(steps.map(({ id, path }) => [id, path])).toEqual([
      ['Build', null],
      ['Test', null],
    ]);
  });

  it('keeps a position that is none, and reports it', async () => {
    const { steps, notes, ok } = await composed(
      flow.replace('built] }', 'built], ui: { position: left, color: teal } }'),
    );
    expect(ok).toBe(true);
    expect(steps[0]).toMatchObject({ position: null, color: 'teal' });
    expect(notes).toEqual(['`ui.position` of `build` is not `[x, y]`: it is placed automatically']);
  });
});

it('names the steps that run finally, which are no part of the graph', async () => {
  const { steps, notes, ok } = await composed(`${flow}finally:\n  tidy: { command: [echo, done] }\n`);
  expect([ok, steps.some(({ id }) => id === 'tidy')]).toEqual([true, false]);
  expect(notes).toEqual(['after all of these, whatever happened: `tidy` (`finally`, in the text)']);
});

describe('a run of a text that is not saved', () => {
  it('is planned with its own steps and parameters', async () => {
    const api = composerApi();
    api.project.disk.plant('workflows/flow.yaml', flow);
    const text = flow.replace(
      'steps:\n',
      'parameters:\n  region: { type: string, required: true }\nsteps:\n  lint: { command: [echo, linted] }\n',
    );
    const at = '/api/v1/workflows/workflows%2Fflow.yaml';
    const { document } = await api.post(`${at}/compose`, { text });
    expect(composedDocument.parse(document).parameters).toEqual({
      region: { type: 'string', enum: null, required: true, description: null },
    });
    const lacking = await api.post(`${at}/plan`, { text });
    expect(lacking).toMatchObject({ status: 422, document: { code: 'E_VALUE' } });
    const planned = await api.post(`${at}/plan`, { text, parameters: { region: 'eu' } });
    expect(planDocument.parse(planned.document).contracts.map(({ step }) => step)).toEqual([
      'lint',
      'build',
      'test',
    ]);
    expect(api.project.disk.read('workflows/flow.yaml', 10_000)?.toString()).toBe(flow);
  });
});

describe('stubs', () => {
  const stages = `workflow: { id: review, name: Review, version: 1.0.0 }
stages:
  - id: draft
    roles: { primary: { artifact: "agent:poet" }, tools: ["skill:rhyme"] }
    context: { modules: ["ctx:style"] }
`;
  const at = '/api/v1/workflows/workflows%2Freview.yaml';

  it('are written for what a text names and lacks, and for nothing else', async () => {
    const api = composerApi();
    api.project.disk.plant('workflows/review.yaml', stages.replace('poet', 'engineer'));
    const { document } = await api.post(`${at}/compose`, { text: stages });
    expect(composedDocument.parse(document).missing).toEqual(['agent:poet', 'skill:rhyme', 'ctx:style']);
    const one = await api.post(`${at}/stubs`, { text: stages, reference: 'agent:poet' });
    expect(one).toMatchObject({ status: 200, document: { written: ['agents/poet/role.md'] } });
    const again = await api.post(`${at}/stubs`, { text: stages, reference: 'agent:poet' });
    expect(again.document).toMatchObject({ written: [] });
    const other = await api.post(`${at}/stubs`, { text: stages, reference: 'agent:../engineer' });
    expect(other.document).toMatchObject({ written: [] });
    const rest = await api.post(`${at}/stubs`, {});
    expect(rest.document).toMatchObject({ written: ['.claude/skills/rhyme/SKILL.md', 'modules/style.md'] });
    expect(
      composedDocument.parse((await api.post(`${at}/compose`, { text: stages })).document).missing,
    ).toEqual([]);
  });

  it('need a key that may write', async () => {
    const api = composerApi();
    api.project.disk.plant('workflows/review.yaml', stages);
    const refused = await api.post(`${at}/stubs`, {}, { authorization: `Bearer ${reader.key}` });
    expect(refused.status).toBe(403);
    expect(api.project.disk.look('modules/style.md')).toBeNull();
  });
});

describe('steps with work in git', () => {
  it('are merges and landings, also where a worker resolves conflicts', async () => {
    const { steps } = await composed(`name: flow
version: "1"
timeout: 1h
steps:
  a: { command: [echo], workspace: { worktree: step } }
  b: { command: [echo], workspace: { worktree: step } }
  both: { merge: [a, b], on_conflict: resolve, command: [sed, -i, d, a] }
  home: { land: main, depends_on: [both] }
`);
    expect(steps.map(({ kind }) => kind)).toEqual(['command', 'command', 'merge', 'land']);
  });
});

describe('forms', () => {
  it.each(['native', 'swdl'])(
    'have every key of a step of %s, and each new step is valid',
    async (language) => {
      const api = composerApi();
      const { document } = await api.get(`/api/v1/forms/${language}`);
      const forms = formsDocument.parse(document);
      const { graph } = workflowGrammar(language, languages)!;
      const known = new Set([...forms.step.map(({ key }) => key), 'depends_on', 'ui', graph!.id ?? '']);
      for (const { keys } of forms.kinds) expect(keys.filter((key) => !known.has(key))).toEqual([]);
      const start =
        language === 'native'
          ? 'name: flow\nversion: "1"\ntimeout: 1h\nsteps:\n  first: { command: [echo, a] }\n'
          : 'workflow: { id: flow, name: Flow, version: 1.0.0 }\nstages:\n  - { id: first, type: gate, gate: { kind: manual_approval } }\n';
      for (const { name, canAdd } of forms.kinds.filter((each) => each.canAdd)) {
        const draft = await composed(start, { do: 'add', kind: name }, start);
        expect({ name, canAdd, refused: draft.refused }).toEqual({ name, canAdd, refused: null });
        const errors = draft.problems.filter(({ severity }) => severity === 'error');
        expect({ name, errors }).toEqual({ name, errors: [] });
        expect(draft.steps.at(-1)?.kind).toBe(name);
      }
    },
  );

  it('show defaults and choices, and what a value names', async () => {
    const { document } = await composerApi().get('/api/v1/forms/swdl');
    const { step } = formsDocument.parse(document);
    const field = (key: string, inner: string) =>
      step.find((each) => each.key === key)?.fields.find((each) => each.key === inner);
    expect(field('error_policy', 'on_failure')).toMatchObject({
      control: 'choice',
      choices: ['halt', 'continue', 'skip_dependents'],
      usual: 'halt',
      required: false,
    });
    expect(field('roles', 'primary')?.fields.find(({ key }) => key === 'instructions')?.control).toBe(
      'lines',
    );
    expect(field('error_policy', 'retry')?.fields.find(({ key }) => key === 'max_attempts')).toMatchObject({
      control: 'number',
      usual: '2',
    });
  });

  it('do not exist for a language that is changed in the text', async () => {
    expect((await composerApi().get('/api/v1/forms/nip')).status).toBe(404);
    const read = parseYaml(flow, 'flow.yaml');
    expect(read.ok && grammarOf('workflow', read.value.value, languages).name).toBe('native');
  });
});

describe('artifacts', () => {
  it('are found beside files that stand where folders are looked for', async () => {
    const api = composerApi();
    const files = {
      'agents/writer/role.md': '# Writes things\n',
      'agents/rehearsal.mjs': '',
      '.claude/skills/README.md': '# Our skills\n',
      modules: '',
    };
    for (const [path, text] of Object.entries(files)) api.project.disk.plant(path, text);
    const { status, document } = await api.get('/api/v1/artifacts?kind=agent,skill,ctx');
    expect(status).toBe(200);
    const found = (document as { ref: string; ok: boolean }[]).filter(({ ok }) => ok);
    const roles = ['architect', 'engineer', 'qa'];
    expect(found.map(({ ref }) => ref)).toEqual([...roles, 'writer'].map((name) => `agent:${name}`));
  });
});
