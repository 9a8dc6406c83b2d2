import { afterEach, describe, expect, it } from 'vitest';
import {
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  HoverRequest,
  RenameRequest,
} from 'vscode-languageserver/node';
import { Editor } from '../../support/editor.ts';
import { TestProject } from '../../support/project.ts';

/*
 * `mailroom lsp` as an editor uses it: over the real program's stdio, with texts that nobody has saved.
 */

let project: TestProject | null = null;
let editor: Editor | null = null;

afterEach(async () => {
  await editor?.close();
  editor = null;
  project?.remove();
  project = null;
});

const workflow = (needs: string, tail = '') => `name: ship
version: "1"
timeout: 1h
steps:
  build:
    command: [npm, run, build]
  test: { command: [npm, test], depends_on: [${needs}] }
${tail}`;

const protocol = (role: string) => `name: team
roles: { ${role}: { provider: claude, capabilities: [READ] } }
messages:
  task: { from: user, to: ${role} }
  done: { from: ${role}, to: user, closes: true }
`;

async function start(files: Readonly<Record<string, string>>): Promise<Editor> {
  project = new TestProject(files);
  const opened = await Editor.open(project);
  editor = opened.editor;
  return editor;
}

const messages = (found: readonly { message: unknown }[]) => found.map(({ message }) => message);

describe('the diagnostics of an editor', () => {
  it('are those of the text as it is typed, at their places', async () => {
    const lsp = await start({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': workflow('build') });
    await lsp.show('workflows/ship.yaml', workflow('build'));
    expect(await lsp.diagnostics('workflows/ship.yaml')).toEqual([]);
    // `build` becomes `biuld`.
    const range = { start: { line: 6, character: 45 }, end: { line: 6, character: 50 } };
    await lsp.change('workflows/ship.yaml', [{ range, text: 'biuld' }]);
    expect(await lsp.diagnostics('workflows/ship.yaml')).toEqual([
      {
        range: { start: { line: 6, character: 45 }, end: { line: 6, character: 50 } },
        severity: 1,
        code: 'E_UNKNOWN_NAME',
        source: 'mailroom',
        message: 'no step is called `biuld`\ndid you mean `build`?',
      },
    ]);
    await lsp.change('workflows/ship.yaml', workflow('build'));
    expect(await lsp.diagnostics('workflows/ship.yaml')).toEqual([]);
    expect(project!.read('workflows/ship.yaml')).toBe(workflow('build'));
  });

  it('count columns in UTF-16 units, before which anything may stand', async () => {
    const lsp = await start({ 'mailroom.yaml': 'trail: off\n' });
    const text = workflow('build', '  "späß 🎉": { command: [a], depends_on: [bild] }\n');
    await lsp.show('workflows/ship.yaml', text.replace('"späß 🎉"', 'last'));
    const plain = await lsp.diagnostics('workflows/ship.yaml');
    expect(plain).toMatchObject([{ range: { start: { line: 7, character: 37 }, end: { character: 41 } } }]);
    await lsp.change(
      'workflows/ship.yaml',
      workflow('build', '  last: { description: "🎉ß", command: [a], depends_on: [bild] }\n'),
    );
    expect(await lsp.diagnostics('workflows/ship.yaml')).toMatchObject([
      { range: { start: { line: 7, character: 57 }, end: { character: 61 } } },
    ]);
  });

  it('take unsaved texts of other files into account, and files that are not saved at all', async () => {
    const files = { 'mailroom.yaml': 'trail: off\n', 'protocols/team.yaml': protocol('maker') };
    const lsp = await start(files);
    const uses = (file: string) =>
      workflow('build', `  nested: { workflow: ${file} }\n  asked: { role: writer, instructions: x }\n`);
    await lsp.show('workflows/ship.yaml', uses('./parts/more.yaml'));
    expect(messages(await lsp.diagnostics('workflows/ship.yaml'))).toEqual([
      'cannot read `./parts/more.yaml`: there is no file workflows/parts/more.yaml',
      'no role is called `writer`\nthere are `user`, `maker`',
    ]);
    await lsp.show('protocols/team.yaml', protocol('writer'));
    expect(messages(await lsp.diagnostics('workflows/ship.yaml', (found) => found.length === 1))).toEqual([
      'cannot read `./parts/more.yaml`: there is no file workflows/parts/more.yaml',
    ]);
    await lsp.show('workflows/parts/more.yaml', workflow('build'));
    expect(await lsp.diagnostics('workflows/ship.yaml', (found) => found.length === 0)).toEqual([]);
    await lsp.hide('protocols/team.yaml');
    const again = await lsp.diagnostics('workflows/ship.yaml', (found) => found.length > 0);
    expect(messages(again)).toEqual(['no role is called `writer`\nthere are `user`, `maker`']);
    expect([project!.read('protocols/team.yaml'), project!.list('.')]).toEqual([
      protocol('maker'),
      ['mailroom.yaml', 'protocols'],
    ]);
  });

  it('are there for settings, agents and protocols', async () => {
    const lsp = await start({ 'mailroom.yaml': 'trail: off\n', 'protocols/team.yaml': protocol('maker') });
    await lsp.show('mailroom.yaml', 'trial: off\n');
    expect(messages(await lsp.diagnostics('mailroom.yaml'))).toEqual([
      '`trial` is not a key of a configuration\ndid you mean `trail`?',
    ]);
    await lsp.change('mailroom.yaml', 'trail: off\n');
    await lsp.show('agents.yaml', 'agents: { fast: { providr: claude } }\n');
    expect(messages(await lsp.diagnostics('agents.yaml'))).toEqual([
      '`providr` is not a key of an agent\ndid you mean `provider`?',
    ]);
    await lsp.change('agents.yaml', 'agents: {}\n');
    await lsp.show('protocols/team.yaml', protocol('maker').replace('from: user', 'from: usr'));
    expect(messages(await lsp.diagnostics('protocols/team.yaml'))).toEqual([
      'no role is called `usr`\ndid you mean `user`?',
    ]);
  });

  it('are there for a single file outside of any project, and say nothing of other files', async () => {
    const lsp = await start({ '.git/HEAD': '', 'notes.md': '# Notes' });
    await lsp.show('ship.yaml', workflow('biuld'));
    expect(messages(await lsp.diagnostics('ship.yaml'))).toEqual([
      'no step is called `biuld`\ndid you mean `build`?',
    ]);
    await lsp.show('compose.yaml', 'services: [\n');
    expect(await lsp.diagnostics('compose.yaml')).toEqual([]);
    expect(project!.list('.')).toEqual(['.git', 'notes.md']);
  });
});

describe('what an editor asks at a position', () => {
  const text = workflow('build', '  last: { description: "🎉ß", command: [a], depends_on: [build, te] }\n');
  const position = { line: 7, character: 66 };

  it('is answered: completion, hover, definition, renaming', async () => {
    const lsp = await start({ 'mailroom.yaml': 'trail: off\n' });
    await lsp.show('workflows/ship.yaml', text);
    const textDocument = { uri: lsp.uri('workflows/ship.yaml') };
    const { connection } = lsp;
    const completed = await connection.sendRequest(CompletionRequest.type, { textDocument, position });
    expect(completed).toMatchObject([
      {
        label: 'test',
        textEdit: { newText: 'test', range: { start: { line: 7, character: 64 }, end: position } },
      },
    ]);
    await lsp.change('workflows/ship.yaml', text.replace(', te]', ']'));
    const build = { line: 7, character: 58 };
    expect(await connection.sendRequest(HoverRequest.type, { textDocument, position: build })).toEqual({
      contents: {
        kind: 'markdown',
        value: '**build**: COMMAND  \nBatch 1 of 2  \nNo timeout, attempts: at most 1',
      },
    });
    const onKey = { textDocument, position: { line: 5, character: 6 } };
    expect(await connection.sendRequest(HoverRequest.type, onKey)).toMatchObject({
      contents: { value: 'A program and its arguments, without a shell; expressions are allowed.' },
    });
    expect(await connection.sendRequest(DefinitionRequest.type, { textDocument, position: build })).toEqual({
      uri: textDocument.uri,
      range: { start: { line: 4, character: 2 }, end: { line: 4, character: 7 } },
    });
    const renaming = { textDocument, position: build, newName: 'make' };
    const renamed = await connection.sendRequest(RenameRequest.type, renaming);
    expect(renamed?.changes?.[textDocument.uri]).toEqual([
      { range: { start: { line: 4, character: 2 }, end: { line: 4, character: 7 } }, newText: 'make' },
      { range: { start: { line: 6, character: 45 }, end: { line: 6, character: 50 } }, newText: 'make' },
      { range: { start: { line: 7, character: 57 }, end: { line: 7, character: 62 } }, newText: 'make' },
    ]);
    const taken = connection.sendRequest(RenameRequest.type, { ...renaming, newName: 'test' });
    await expect(taken).rejects.toThrow('`test` is a name of this file already');
  });

  it('leads to other files: roles of the protocol, and quick fixes from hints', async () => {
    const files = { 'mailroom.yaml': 'trail: off\n', 'protocols/team.yaml': protocol('maker') };
    const lsp = await start(files);
    const role = workflow('biuld', '  asked: { role: maker, instructions: x }\n');
    await lsp.show('workflows/ship.yaml', role);
    const textDocument = { uri: lsp.uri('workflows/ship.yaml') };
    const maker = { textDocument, position: { line: 7, character: 20 } };
    expect(await lsp.connection.sendRequest(DefinitionRequest.type, maker)).toEqual({
      uri: lsp.uri('protocols/team.yaml'),
      range: { start: { line: 1, character: 9 }, end: { line: 1, character: 14 } },
    });
    const range = { start: { line: 6, character: 45 }, end: { line: 6, character: 45 } };
    const actions = await lsp.connection.sendRequest(CodeActionRequest.type, {
      textDocument,
      range,
      context: { diagnostics: [] },
    });
    expect(actions).toMatchObject([
      {
        title: 'Replace with build',
        kind: 'quickfix',
        edit: {
          changes: {
            [textDocument.uri]: [
              {
                range: { start: { line: 6, character: 45 }, end: { line: 6, character: 50 } },
                newText: 'build',
              },
            ],
          },
        },
      },
    ]);
  });

  it('is answered for messages: their types and roles', async () => {
    const files = { 'mailroom.yaml': 'trail: off\n', 'protocols/team.yaml': protocol('maker') };
    const lsp = await start(files);
    const path = 'agents/user/outbox/a.md';
    await lsp.show(path, '---\ntype: tsk\nto: maker\n---\nPlease.\n', 'markdown');
    expect(messages(await lsp.diagnostics(path))).toEqual([
      'no message type is called `tsk`\ndid you mean `task`?',
    ]);
    const textDocument = { uri: lsp.uri(path) };
    const asked = { textDocument, position: { line: 1, character: 7 } };
    const completed = await lsp.connection.sendRequest(CompletionRequest.type, asked);
    expect(completed).toMatchObject([{ label: 'task' }]);
  });
});

it('ends with exit code 0 when the editor ends it', async () => {
  const lsp = await start({});
  editor = null;
  expect(await lsp.close()).toBe(0);
});
