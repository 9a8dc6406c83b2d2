import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stage } from './acp-stage.ts';
import type { Capability } from '../../src/kernel/capabilities.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

/** A tool call as agents tell it; `PROJECT`, `OUTBOX` and `ROOT` stand for folders. */
type Call = JsonObject;

const edit = (path: string): Call => ({ kind: 'edit', title: `Write ${path}`, locations: [{ path }] });
const run = (command: string): Call => ({ kind: 'execute', title: command, rawInput: { command } });

/** The tests of a role, with another part in the request. */
const tests = (part: Call, more: Call = {}): Call => ({
  ...run('npm test'),
  rawInput: { command: 'npm test', ...part },
  ...more,
});
const address = 'https://example.com/?k=SECRET';

const every: readonly (readonly Capability[])[] = [
  ['READ'],
  ['READ', 'EDIT'],
  ['READ', 'RUN_TESTS'],
  ['READ', 'EDIT', 'RUN_TESTS'],
  ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'],
];

/** Each call, and for which of these capabilities it is allowed: `-` no, `+` yes, in the order of `every`. */
const decisions: readonly (readonly [string, Call, string])[] = [
  ['a message', edit('OUTBOX/a.md'), '+++++'],
  ['a file of the workspace', edit('PROJECT/src/a.js'), '-+-++'],
  ['a path from the workspace', edit('src/a.js'), '-+-++'],
  ['a file outside', edit('ROOT/a.js'), '----+'],
  ['a file outside, by a detour', edit('PROJECT/../a.js'), '----+'],
  ['a file outside, by a link', edit('PROJECT/link/a.js'), '----+'],
  ['a link that leads nowhere', edit('PROJECT/dangling'), '----+'],
  ['settings of agents', edit('PROJECT/.claude/settings.json'), '-----'],
  ['settings of agents below', edit('PROJECT/app/opencode.json'), '-----'],
  ['variables', edit('PROJECT/.env.local'), '-----'],
  ['a hook of git', edit('PROJECT/.git/hooks/pre-commit'), '----+'],
  [
    'an edit of two files',
    { ...edit('PROJECT/a'), content: [{ type: 'diff', path: 'ROOT/b', newText: '' }] },
    '----+',
  ],
  ['an edit of nobody knows what', { kind: 'edit', title: 'Write' }, '-----'],
  ['a removal', { kind: 'delete', title: 'x', rawInput: { path: 'PROJECT/a' } }, '-+-++'],
  [
    'a diff without a kind',
    { title: 'x', content: [{ type: 'diff', path: 'PROJECT/a', newText: '' }] },
    '-+-++',
  ],
  ['its tests', run('npm test'), '--+++'],
  ['its tests with arguments', run('npm test -- a.test.js'), '--+++'],
  ['its tests and more', run('npm test && touch x'), '----+'],
  ['its tests into a file', run('npm test > x'), '----+'],
  ['its tests and a substitution', run('npm test $(touch x)'), '----+'],
  ['its tests and a second line', run('npm test\ntouch x'), '----+'],
  ['what begins like its tests', run('npm testify'), '----+'],
  [
    'its tests in a shell',
    { kind: 'execute', title: 'x', rawInput: { command: ['bash', '-lc', 'npm test'] } },
    '--+++',
  ],
  ['a command', run('touch x'), '----+'],
  ['a command of nobody knows what', { kind: 'execute', title: 'npm test' }, '----+'],
  [
    'a command that calls itself reading',
    { kind: 'read', title: 'x', rawInput: { command: 'touch x' } },
    '----+',
  ],
  ['reading outside', { kind: 'read', title: 'x', locations: [{ path: '/etc/passwd' }] }, '----+'],
  ['reading inside', { kind: 'read', title: 'x', locations: [{ path: 'PROJECT/a' }] }, '+++++'],
  ['the network', { kind: 'fetch', title: 'x', rawInput: { url: 'http://localhost' } }, '----+'],
  ['a tool of Mailroom', { kind: 'other', title: 'mailroom_send_message' }, '+++++'],
  ['a tool of another server', { kind: 'other', title: 'theirs_send_message' }, '----+'],
  [
    'a command that is called like a tool of Mailroom',
    { kind: 'execute', title: 'mailroom_send', rawInput: { command: 'touch x' } },
    '----+',
  ],
  // What a capability has not judged, it does not allow.
  ['its tests, explained', tests({ description: 'runs them', timeout: 60, is_background: false }), '--+++'],
  ['its tests, by its programs', tests({ commands: ['npm test'] }), '--+++'],
  ['its tests in the workspace', tests({ cwd: 'PROJECT', directory: '.' }), '--+++'],
  [
    'its tests, by the agent',
    tests({}, { _meta: { toolName: 'shell' }, content: [], locations: [] }),
    '--+++',
  ],
  ['its tests with variables', tests({ env: { NODE_OPTIONS: '--require /tmp/x' } }), '----+'],
  ['its tests elsewhere', tests({ cwd: '/tmp' }), '----+'],
  ['its tests elsewhere, by a link', tests({ cwd: 'PROJECT/link' }), '----+'],
  ['its tests below', tests({ directory: 'PROJECT/app' }), '----+'],
  ['its tests and arguments', tests({ args: ['--', '--prod'] }), '----+'],
  ['its tests and another command', tests({ cmd: 'rm -rf /' }), '----+'],
  ['its tests and another program', tests({ commands: ['npm test', 'rm'] }), '----+'],
  ['its tests and a program that is no list', tests({ commands: 'rm' }), '----+'],
  ['its tests and input', tests({ stdin: 'evil' }), '----+'],
  ['its tests with a shell', tests({ shell: '/tmp/sh' }), '----+'],
  ['its tests out of the sandbox', tests({ dangerouslyDisableSandbox: true }), '----+'],
  ['its tests in the background', tests({ is_background: true }), '----+'],
  ['its tests with a time that is none', tests({ timeout: '1; rm' }), '----+'],
  ['its tests with what no call has', tests({}, { env: { NODE_OPTIONS: '-r x' } }), '----+'],
  ['its tests and a file outside', tests({}, { locations: [{ path: 'ROOT/a' }] }), '----+'],
  [
    'its tests and an edit',
    tests({}, { content: [{ type: 'diff', path: 'PROJECT/a', newText: '' }] }),
    '----+',
  ],
  [
    'its tests in a shell with variables',
    { kind: 'execute', title: 'x', rawInput: { command: ['bash', '-lc', 'npm test'], env: { A: 'b' } } },
    '----+',
  ],
  ['its tests behind another space', run('npm\u00A0test'), '----+'],
  [
    'a command that is a list of nothing',
    { kind: 'read', title: 'x', rawInput: { command: { a: 'b' } } },
    '----+',
  ],
  [
    'settings of agents, by what is called a command',
    { kind: 'edit', title: 'x', rawInput: { command: 'create', path: 'PROJECT/.claude/settings.json' } },
    '-----',
  ],
  ['an edit and a second place', { ...edit('PROJECT/a'), rawInput: { destination: 'ROOT/b' } }, '----+'],
  ['an edit and a home', { ...edit('PROJECT/a'), rawInput: { target: '~/.bashrc' } }, '----+'],
  ['an edit of a home', edit('~/.bashrc'), '----+'],
  ['an edit and a hook', { ...edit('PROJECT/a'), rawInput: { to: '.git/hooks/x' } }, '----+'],
  ['an edit and settings', { ...edit('PROJECT/a'), rawInput: { to: '.claude/a' } }, '-----'],
  ['an edit, by an address', edit('file:///%65tc/passwd'), '----+'],
  [
    'an edit of a text like a path',
    { ...edit('PROJECT/a'), rawInput: { new_string: '/etc/passwd', content: '~/.ssh' } },
    '-+-++',
  ],
  [
    'reading and an address',
    { kind: 'read', title: 'x', rawInput: { path: 'PROJECT/a', url: address } },
    '----+',
  ],
  [
    'reading by another name',
    { kind: 'read', title: 'x', rawInput: { target_file: '/etc/passwd' } },
    '----+',
  ],
  ['reading several', { kind: 'read', title: 'x', rawInput: { paths: ['a', '../../b'] } }, '----+'],
  [
    'searching for a text like a path',
    { kind: 'search', title: 'x', rawInput: { pattern: '/api/' } },
    '+++++',
  ],
  ['thinking', { kind: 'think', title: 'x', rawInput: { thought: 'of /etc/passwd' } }, '+++++'],
  ['thinking of an address', { kind: 'think', title: 'x', rawInput: { url: address } }, '----+'],
  [
    'thinking that changes a file',
    { kind: 'think', title: 'x', content: [{ type: 'diff', path: 'ROOT/b', newText: '' }] },
    '----+',
  ],
  [
    'an address that is called like a tool of Mailroom',
    { kind: 'fetch', title: 'mailroom.example.com/x', rawInput: { url: 'https://mailroom.example.com/x' } },
    '----+',
  ],
  [
    'an edit that is called like a tool of Mailroom',
    { kind: 'other', title: 'mailroom_send', content: [{ type: 'diff', path: 'ROOT/b', newText: '' }] },
    '----+',
  ],
  ['another mode', { kind: 'switch_mode', title: 'yolo' }, '-----'],
];

describe('a permission request', () => {
  it.each(every.map((capabilities, index) => ({ capabilities, index })))(
    'is answered by $capabilities, call by call',
    async ({ capabilities, index }) => {
      const stage = new Stage();
      const { root, project } = stage.place;
      symlinkSync(root, join(project, 'link'));
      symlinkSync(join(root, 'not-there'), join(project, 'dangling'));
      mkdirSync(join(project, '.git'));
      const turn = stage.place.turn({ capabilities, tools: { command: ['x'], readable: [] } });
      const placed = (call: Call) =>
        JSON.parse(
          JSON.stringify(call)
            .replaceAll('OUTBOX', turn.paths.outbox)
            .replaceAll('PROJECT', project)
            .replaceAll('ROOT', root),
        ) as JsonObject;
      const asks = decisions.map(([, call], each) => ({ asks: { ...placed(call), toolCallId: `c${each}` } }));
      await stage.playTurn({ prompts: [asks] }, turn);
      const allowed = stage.heard('answered').map(({ optionId }) => (optionId === 'once' ? '+' : '-'));
      const shown = decisions.map(([what], each) => `${allowed[each]} ${what}`);
      expect(shown).toEqual(decisions.map(([what, , signs]) => `${signs[index]} ${what}`));
    },
  );

  it('is refused with a reason, and the refusal is reported', async () => {
    const stage = new Stage();
    const denied = stage.path('denied.txt');
    const { outcome } = await stage.run({
      prompts: [[{ asks: { ...edit(denied), writes: denied } }, { say: 'I could not.' }]],
    });
    expect(outcome).toMatchObject({
      is: 'done',
      text: 'I could not.',
      denials: [`Write ${denied}: ${denied}`],
    });
    expect(stage.place.has('denied.txt')).toBe(false);
  });

  it('that is allowed is allowed once', async () => {
    const stage = new Stage();
    const path = stage.path('a.txt');
    const offers = [{ optionId: 'always', name: 'Always', kind: 'allow_always' }];
    const asks = { ...edit(path), writes: path };
    await stage.run({ prompts: [[{ asks }]] }, { capabilities: ['READ', 'EDIT'] });
    expect(stage.place.has('a.txt')).toBe(true);
    await stage.run({ prompts: [[{ asks: { ...asks, offers } }]] }, { capabilities: ['READ', 'EDIT'] });
    expect(stage.heard('answered').at(-1)).toEqual({ outcome: 'cancelled' });
  });

  it('that ended the turn by its refusal: the agent is told why, and continues', async () => {
    const stage = new Stage();
    const ends = { ...edit(stage.path('denied.txt')), ends: true };
    const { outcome } = await stage.run({
      prompts: [[{ asks: ends }, { say: 'never said' }], [{ say: 'Without it.' }]],
    });
    expect(outcome).toMatchObject({ is: 'done', text: 'Without it.' });
    expect(JSON.stringify(stage.heard('session/prompt')[1])).toContain('this role may write only into');
  });

  it('is not refused for ever: three times an agent continues', async () => {
    const stage = new Stage();
    const ends = [{ asks: { ...edit(stage.path('denied.txt')), ends: true } }];
    const { outcome } = await stage.run({ prompts: [ends, ends, ends, ends, ends] });
    expect(outcome).toMatchObject({ is: 'done', text: '' });
    expect(stage.heard('session/prompt')).toHaveLength(4);
  });
});
