import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { Edit } from '../../src/kernel/edits.ts';
import { builtInProviders } from '../../src/providers/index.ts';
import { recordOf } from '../../src/providers/recording.ts';
import { exit, invocation, now, environment } from './samples.ts';
import type { Exit, Invocation, Outcome, Provider } from '../../src/providers/provider.ts';

const root = mkdtempSync(join(tmpdir(), 'mailroom-redo-'));
afterAll(() => rmSync(root, { recursive: true }));

const replayAgent = fileURLToPath(new URL('../../bin/replay-agent.mjs', import.meta.url));
const replay = builtInProviders({ ...environment, replayAgent }).get('replay') as Provider;

type Files = Readonly<Record<string, string | Buffer>>;

/** A turn in a workspace of its own; a link is written as `-> target`, a program begins with `#!`. */
function turnIn(thread: string, files: Files, prompt = 'Change it.'): Invocation {
  const project = mkdtempSync(join(root, 'project-'));
  const workspace = join(project, 'workspace');
  const outbox = join(project, 'outbox');
  for (const folder of [workspace, outbox]) mkdirSync(folder);
  for (const [path, content] of Object.entries(files)) put(join(workspace, path), content);
  const paths = { ...invocation().paths, outbox, messages: [] };
  return invocation({ role: 'writer', thread, project, workspace, prompt, paths });
}

function put(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  const link = /^-> (.*)$/.exec(content.toString())?.[1];
  if (link === undefined) writeFileSync(file, content);
  else symlinkSync(link, file);
  if (content.toString().startsWith('#!')) chmodSync(file, 0o755);
}

function filesOf({ workspace }: Invocation): Record<string, string> {
  const names = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const shown = (file: string): string => {
    if (lstatSync(file).isSymbolicLink()) return `-> ${readlinkSync(file)}`;
    const bytes = readFileSync(file);
    const isProgram = (lstatSync(file).mode & 0o111) !== 0;
    expect(isProgram).toBe(bytes.toString().startsWith('#!'));
    return bytes.toString('latin1');
  };
  return Object.fromEntries(names.toSorted().map((file) => [file.slice(workspace.length + 1), shown(file)]));
}

const outcome: Outcome = {
  is: 'done',
  text: 'Changed.',
  session: null,
  usage: { usd: 0, tokens: 0 },
  model: null,
  denials: [],
};

function edit(path: string, before: string | Buffer | null, after: string | Buffer | null): Edit {
  const link = /^-> (.*)$/.exec(after?.toString() ?? '')?.[1];
  const kind = link === undefined ? (after?.toString().startsWith('#!') ? 'program' : 'file') : 'link';
  const bytes = (content: string | Buffer | null) => (content === null ? null : Buffer.from(content));
  return { path, kind, before: bytes(before), after: bytes(link ?? after) };
}

/** Keeps a turn that changed this, as the so-manyth of its folder. */
function keep(
  folder: string,
  turn: Invocation,
  changed: readonly Edit[],
  leftOut: string[] = [],
  order = 1,
): void {
  const { name, json } = recordOf(turn, [], exit({ edits: { changed, leftOut } }), [], outcome, order);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), json);
}

function answer(folder: string, turn: Invocation): { readonly exit: Exit; readonly outcome: Outcome } {
  const command = replay.start(turn);
  const { status, signal, stdout, stderr } = spawnSync(command.argv[0] ?? '', command.argv.slice(1), {
    input: command.stdin,
    encoding: 'utf8',
    env: { ...command.env, MAILROOM_RECORDING: folder },
  });
  const ended = exit({ code: status, signal, stdout, stderr });
  return { exit: ended, outcome: replay.read(ended, turn, now) };
}

const monday = '019a0000-0000-7000-8000-00000000000a';
const tuesday = '019b1111-0000-7000-8000-00000000000b';
const binary = Buffer.from([0, 255, 10, 13, 0xc3]);

it('is made again in another project, with the ids and folders of that day, whatever files they are', () => {
  const folder = join(root, 'kinds');
  const turn = turnIn(monday, {});
  keep(folder, turn, [
    edit(
      'edited.txt',
      `in ${turn.project}, thread ${monday}\n`,
      `still in ${turn.workspace} for ${monday}, {{thread}}\n`,
    ),
    edit('gone/away.txt', 'gone', null),
    edit('folder', 'was a file', null),
    edit('folder/inner.bin', null, binary),
    edit('run.sh', null, '#!/bin/sh\n'),
    edit('link', null, '-> edited.txt'),
    edit(`notes-${monday}.md`, null, 'new\n'),
  ]);
  const again = turnIn(tuesday, { 'gone/away.txt': 'gone', folder: 'was a file', 'other.txt': 'other' });
  put(join(again.workspace, 'edited.txt'), `in ${again.project}, thread ${tuesday}\r\n`);
  expect(answer(folder, again).outcome).toMatchObject({ is: 'done', text: 'Changed.' });
  expect(filesOf(again)).toEqual({
    'edited.txt': `still in ${again.workspace} for ${tuesday}, {{thread}}\n`,
    'folder/inner.bin': binary.toString('latin1'),
    link: '-> edited.txt',
    [`notes-${tuesday}.md`]: 'new\n',
    'other.txt': 'other',
    'run.sh': '#!/bin/sh\n',
  });
  expect(readdirSync(again.workspace)).not.toContain('gone');
});

it.each<[string, Files, Edit[], RegExp]>([
  [
    'a file is another than it was',
    { 'a.txt': 'old', 'b.txt': 'of somebody else' },
    [edit('a.txt', 'old', 'new'), edit('b.txt', 'old', 'new')],
    /b\.txt is not what it was when this turn was recorded, so none of its changes were made: replay in a checkout/,
  ],
  [
    'a file is missing',
    { 'a.txt': 'old' },
    [edit('a.txt', 'old', 'new'), edit('b.txt', 'old', 'new')],
    /b\.txt is not what it was/,
  ],
  [
    'a folder is in the way, which is seen in the middle',
    { 'a.txt': 'old', 'c/removed.txt': 'old', 'b.txt/file': 'in the way' },
    [
      edit('a.txt', 'old', 'new'),
      edit('c/removed.txt', 'old', null),
      edit('b.txt', null, 'new'),
      edit('d', null, 'new'),
    ],
    /directory.*b\.txt/,
  ],
  [
    'a path leaves the workspace',
    { 'a.txt': 'old' },
    [edit('a.txt', 'old', 'new'), edit('../b.txt', null, 'new')],
    /\.\.\/b\.txt leaves the workspace/,
  ],
  [
    'a link leads out of the workspace',
    { 'a.txt': 'old', out: '-> ..' },
    [edit('a.txt', 'old', 'new'), edit('out/b.txt', null, 'new')],
    /out\/b\.txt leaves the workspace/,
  ],
])('changes nothing, and says why, where %s', (what, files, edits, why) => {
  const folder = join(root, what);
  keep(folder, turnIn(monday, {}), edits);
  const again = turnIn(tuesday, files);
  const before = filesOf(again);
  expect(answer(folder, again).outcome).toMatchObject({
    is: 'never',
    reason: { text: expect.stringMatching(why) },
  });
  expect(filesOf(again)).toEqual(before);
});

/** The recording of a turn, as somebody else has changed it. */
function forge(folder: string, turn: Invocation, edits: Edit[], files: readonly string[]): void {
  keep(folder, turn, edits);
  const [name = ''] = readdirSync(folder);
  const recording = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  const added = files.map((file) => ({ name: file, text: 'evil' }));
  writeFileSync(join(folder, name), JSON.stringify({ ...recording, files: added }));
}

const outside = join(root, 'outside');
mkdirSync(outside);
const link = edit('lnk', null, `-> ${outside}`);
const toFile = edit('lnk', null, `-> ${join(outside, 'file')}`);

it.each<[string, Files, Edit[], string[], RegExp]>([
  ['a link of the recording and a file below it', {}, [link], ['lnk/pwn'], /lnk\/pwn lies below lnk/],
  [
    'a link of the recording and an edit below it',
    {},
    [link, edit('lnk/pwn', null, 'x')],
    [],
    /lies below lnk/,
  ],
  ['an edit below it, which comes first', {}, [edit('lnk/pwn', null, 'x'), link], [], /lies below lnk/],
  ['a link to a file, and a file of its name', {}, [toFile], ['lnk'], /lnk is not a file, but a link/],
  ['a link in a folder', {}, [edit('a/lnk', null, `-> ${outside}`)], ['a/lnk/b/c'], /lies below a\/lnk/],
  ['a link that is there', { lnk: `-> ${outside}` }, [], ['lnk/pwn'], /by the link lnk/],
  ['an edit through it', { lnk: `-> ${outside}` }, [edit('lnk/pwn', null, 'x')], [], /by the link lnk/],
  [
    'a link in a folder that is there',
    { 'a/lnk': `-> ${outside}` },
    [],
    ['a/lnk/b/pwn'],
    /by the link a\/lnk/,
  ],
  [
    'a link to a file that is there',
    { lnk: `-> ${join(outside, 'file')}` },
    [],
    ['lnk'],
    /not a file, but a link/,
  ],
  ['a link that leads nowhere', { lnk: `-> ${join(outside, 'new')}` }, [], ['lnk'], /not a file, but a link/],
  ['a folder in the place of a file', { 'out/a': 'a' }, [], ['out'], /not a file, but a link or a folder/],
  ['a way up', {}, [edit('../pwn', null, 'x')], [], /leaves the workspace/],
  ['a way up inside', {}, [edit('a/../../pwn', null, 'x')], [], /leaves the workspace/],
  ['an absolute path', {}, [edit(join(outside, 'pwn'), null, 'x')], [], /leaves the workspace/],
  ['no path', {}, [edit('', null, 'x')], [], /leaves the workspace/],
  ['a NUL', {}, [edit('a\0b', null, 'x')], [], /leaves the workspace/],
  ...[
    '.git/hooks/post-commit',
    '.git',
    'sub/.git/config',
    '.gitattributes',
    'sub/.gitmodules',
    '.lfsconfig',
    '.GIT/hooks/x',
    '.Git/x',
    'git~1/hooks/x',
    '.git./x',
    '.git /x',
    '.g\u200Cit/x',
    '.git::$INDEX_ALLOCATION/x',
  ].map((path): [string, Files, Edit[], string[], RegExp] => [
    `git by ${JSON.stringify(path)}`,
    {},
    [edit(path, null, '#!/bin/sh\n')],
    [],
    /is a file of git/,
  ]),
  ...[
    'mailroom.yaml',
    'Mailroom.yaml',
    'mailroom.yaml.',
    'agents.yaml',
    'agents/a/role.md',
    'agents/b/inbox/f.md',
    'protocols/p.yaml',
    'workflows/w.yaml',
    '.mailroom/control/x.json',
    'sub/mailroom.yaml',
    'sub/.mailroom/x',
    '.skillmeat-workflow-overrides.yaml',
  ].flatMap((path): [string, Files, Edit[], string[], RegExp][] => [
    [`a rule: ${path}`, {}, [edit(path, null, 'x')], [], /is a rule of the project/],
    [`a file that is a rule: ${path}`, {}, [], [path], /is a rule of the project/],
  ]),
  ...[
    '.claude/settings.json',
    'app/.mcp.json',
    '.env',
    '.env.local',
    '.codex/x',
    'opencode.json',
    '.agents/x',
  ].map((path): [string, Files, Edit[], string[], RegExp] => [
    `settings of agents: ${path}`,
    {},
    [edit(path, null, 'x')],
    [],
    /configures agents/,
  ]),
])('writes what an honest one could, and nothing of this: %s', (_, files, edits, names, why) => {
  const folder = mkdtempSync(join(root, 'forged-'));
  writeFileSync(join(outside, 'file'), 'mine');
  forge(
    folder,
    turnIn(monday, {}),
    [edit('a.txt', 'old', 'new'), ...edits],
    names.map((name) => `{{workspace}}/${name}`),
  );
  const again = turnIn(tuesday, { 'a.txt': 'old', ...files });
  const before = filesOf(again);
  expect(answer(folder, again).outcome).toMatchObject({
    is: 'never',
    reason: { text: expect.stringMatching(why) },
  });
  expect(filesOf(again)).toEqual(before);
  expect(readdirSync(outside)).toEqual(['file']);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('mine');
});

it('writes the rules of no worktree, and everything else of it', () => {
  const turn = turnIn(tuesday, {});
  mkdirSync(join(turn.project, '../.git'), { recursive: true });
  const workspace = join(turn.project, '.mailroom/worktrees/x');
  mkdirSync(workspace, { recursive: true });
  const prefix = turn.project.slice(turn.project.lastIndexOf('/') + 1);
  for (const path of ['agents/a/role.md', `${prefix}/mailroom.yaml`]) {
    const folder = mkdtempSync(join(root, 'tree-'));
    keep(folder, turnIn(monday, {}), [edit(path, null, 'x')]);
    expect(answer(folder, { ...turn, workspace }).outcome).toMatchObject({ is: 'never' });
  }
  const folder = mkdtempSync(join(root, 'tree-'));
  keep(folder, turnIn(monday, {}), [edit('src/agents/a.ts', null, 'x')]);
  expect(answer(folder, { ...turn, workspace }).outcome.is).toBe('done');
  expect(filesOf({ ...turn, workspace })).toEqual({ 'src/agents/a.ts': 'x' });
  rmSync(join(turn.project, '../.git'), { recursive: true });
});

it('configures agents where its role may, and follows a link that is only in the way', () => {
  const folder = join(root, 'configures');
  keep(folder, turnIn(monday, {}), [edit('.claude/a', null, 'x'), edit('lnk', 'b', 'file')]);
  const again = turnIn(tuesday, { lnk: '-> b', b: 'kept' });
  expect(answer(folder, { ...again, mayConfigure: true }).outcome.is).toBe('done');
  expect(filesOf(again)).toEqual({ '.claude/a': 'x', b: 'kept', lnk: 'file' });
});

it('is no recording where a path or a text is missing', () => {
  const folder = join(root, 'broken');
  keep(folder, turnIn(monday, {}), [edit('a.txt', null, 'x')]);
  const [name = ''] = readdirSync(folder);
  const recording = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  writeFileSync(join(folder, name), JSON.stringify({ ...recording, edits: [{ after: 'x' }] }));
  const turn = turnIn(tuesday, {});
  expect(answer(folder, turn).outcome).toMatchObject({
    is: 'never',
    reason: { text: expect.stringContaining('is not a recording: a path or a text is missing') },
  });
  expect(filesOf(turn)).toEqual({});
});

it('ends the same where two turns changed a folder at the same time, whichever ends first, and when played twice', () => {
  const folder = join(root, 'side by side');
  const [first, second] = ['First.', 'Second.'];
  // The first saw what the second had done by then.
  keep(folder, turnIn(monday, {}, first), [edit('one', null, '1'), edit('two', null, 'half')], [], 1);
  keep(folder, turnIn(monday, {}, second), [edit('one', null, '1'), edit('two', null, 'whole')], [], 2);
  for (const order of [
    [first, second],
    [second, first],
    [first, second, first, second],
  ]) {
    const turn = turnIn(tuesday, {});
    for (const prompt of order) expect(answer(folder, { ...turn, prompt }).outcome.is).toBe('done');
    expect(filesOf(turn)).toEqual({ one: '1', two: 'whole' });
  }
});

it('says what is not in the recording', () => {
  const folder = join(root, 'large');
  keep(folder, turnIn(monday, {}), [edit('a.txt', null, 'new')], ['dist/film.mp4']);
  const again = turnIn(tuesday, {});
  const { exit: ended, outcome: came } = answer(folder, again);
  expect(came.is).toBe('done');
  expect(ended.stderr).toContain('not in the recording, being too large: what became of dist/film.mp4\n');
  expect(filesOf(again)).toEqual({ 'a.txt': 'new' });
});
