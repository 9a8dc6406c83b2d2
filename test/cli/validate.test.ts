import { describe, expect, it } from 'vitest';
import { ProjectFixture, type Told } from './project-fixture.ts';
import type { ValidateDocument } from '../../src/documents/workflows.ts';

function workflow(step: string, name = 'ship'): string {
  return `name: ${name}\nversion: "1"\ntimeout: 1h\nsteps:\n  one: ${step}\n`;
}

function fixture(files: Readonly<Record<string, string>>): ProjectFixture {
  const made = new ProjectFixture();
  for (const [path, text] of Object.entries(files)) made.disk.write(path, text);
  return made;
}

const loop = '{ for_each: { items: [1, 2], steps: { inner: { command: [make] } } } }';

describe('validate', () => {
  it('says that all is well, and how much there is', async () => {
    const both = fixture({
      'workflows/a.yaml': workflow('{ command: [make] }'),
      'workflows/b.yaml': workflow(loop),
    });
    expect(await both.run('validate')).toEqual({ code: 0, out: 'ok: 2 workflows, 3 steps\n', err: '' });
    expect((await both.run('validate', 'workflows/b.yaml')).out).toBe('ok: 1 workflow, 2 steps\n');
  });

  it('shows every problem where it stands, with exit code 2', async () => {
    const wrong = fixture({ 'workflows/a.yaml': workflow('{ command: [make], depends_on: [two] }') });
    expect(await wrong.run('validate', 'workflows/a.yaml')).toEqual({
      code: 2,
      out: '1 error\n',
      err: [
        'workflows/a.yaml:5:40: error E_UNKNOWN_NAME: no step is called `two`',
        '    one: { command: [make], depends_on: [two] }',
        '                                         ^^^',
        'hint: there is no other step here\n\n',
      ].join('\n'),
    });
  });

  it('ends with 3 when a path leads outside', async () => {
    const outside = fixture({
      'workflows/a.yaml': workflow('{ command: [make], outputs: [{ name: a, path: ../a }] }'),
    });
    expect(await outside.run('validate')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/E_PATH: `\.\.\/a` would leave the workspace/),
    });
  });

  it('warns with exit code 0', async () => {
    const doubtful = fixture({ 'workflows/a.yaml': workflow('{ command: [make], max_retries: 2 }') });
    expect(await doubtful.run('validate')).toMatchObject({
      code: 0,
      out: 'ok: 1 workflow, 1 step, 1 warning\n',
      err: expect.stringContaining('warning E_WORKFLOW'),
    });
  });

  it('names the steps whose agents have the default timeout', async () => {
    const agent = 'provider: claude, instructions: x, capabilities: [READ]';
    const long = (step: string, name: string) => workflow(step, name).replace('1h', '9h');
    const inner = `{ for_each: { items: [1], steps: { inner: { ${agent} } } } }`;
    const both = fixture({
      'workflows/a.yaml': long(`{ ${agent} }`, 'ship'),
      'workflows/b.yaml': long(inner, 'each'),
    });
    expect((await both.run('validate')).out).toBe(
      'ok: 2 workflows, 3 steps; ship: one and each: one/inner time out after 2h, the default `timeout`\n',
    );
    const { document } = (await both.json('validate')) as Told<ValidateDocument>;
    expect(document.workflows).toMatchObject([
      { default_timeout: ['one'] },
      { default_timeout: ['one/inner'] },
    ]);
    const single = fixture({ 'workflows/a.yaml': long(`{ ${agent} }`, 'ship') });
    expect((await single.run('validate')).out).toBe(
      'ok: 1 workflow, 1 step; one times out after 2h, the default `timeout`\n',
    );
  });

  it('is a document', async () => {
    const mixed = fixture({
      'workflows/a.yaml': workflow('{ command: [make], max_retries: 2 }'),
      'workflows/b.yaml': workflow('{ comand: [make] }'),
    });
    const { code, document } = (await mixed.json('validate')) as Told<ValidateDocument>;
    expect(code).toBe(2);
    expect(document).toMatchObject({
      schema: 1,
      ok: false,
      workflows: [
        { file: 'workflows/a.yaml', ok: true, name: 'ship', language: 'native', steps: 1 },
        { file: 'workflows/b.yaml', ok: false, name: null, language: null, steps: null },
      ],
      error: { code: 'E_UNKNOWN_KEY', file: 'workflows/b.yaml', line: 5, column: 10 },
      errors: [{ code: 'E_UNKNOWN_KEY', hint: 'did you mean `command`?' }],
      warnings: [{ code: 'E_WORKFLOW', file: 'workflows/a.yaml' }],
    });
  });

  it('says that there is nothing', async () => {
    expect(await new ProjectFixture().run('validate')).toMatchObject({
      code: 2,
      err: expect.stringContaining('error E_TARGET: there are no workflows'),
    });
    expect((await new ProjectFixture().run('validate', 'nothing.yaml')).code).toBe(2);
  });
});
