import { expect, it } from 'vitest';
import { teamFromAgents } from '../../src/project/agent-team.ts';
import { findAgents } from '../../src/project/agent-files.ts';
import { ProblemsError } from '../../src/project/definition/problems.ts';
import { bodyStart } from '../../src/project/definition/role-texts.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

function diskWith(files: Files): MemoryDisk {
  const disk = new MemoryDisk(() => 0);
  for (const [path, content] of Object.entries(files)) disk.plant(path, content);
  return disk;
}

const agent = (front: string, body = 'You work.\n') => `---\n${front}\n---\n${body}`;

function made(files: Files, provider: string | null = null, from: string | true = true) {
  const disk = diskWith(files);
  const result = teamFromAgents(disk, { from, provider });
  const file = 'protocols/agents.yaml';
  const text = disk.read(file, 100_000)?.toString() ?? '';
  const protocol = parseProtocol([{ file, text }], defaultConfig);
  if (!protocol.ok) throw new Error(JSON.stringify(protocol.problems));
  return { disk, text, ...result, ...protocol.value, why: result.left_out.map(({ why }) => why) };
}

function problems(files: Files) {
  const disk = diskWith(files);
  try {
    teamFromAgents(disk, { from: true, provider: null });
  } catch (error) {
    expect(disk.look('protocols')).toBe(null);
    if (error instanceof ProblemsError) return error.problems;
    throw error;
  }
  throw new Error('it has no problems');
}

it('makes roles of the agents of four programs, whose files stay where they are', () => {
  const { roles, disk, written, types } = made({
    '.claude/agents/a.md': agent('name: writer\ndescription: Writes\ntools: Read, Write\nmodel: opus'),
    '.opencode/agent/plan.md': agent('description: The architect\nmode: primary\npermission: { edit: deny }'),
    '.github/agents/code-review.agent.md': agent('name: Code Review\ntools: [read, execute]\nmodel: gpt-5'),
    '.gemini/agents/scout.md': agent('name: scout\ntools: [read_file]\nmodel: inherit'),
  });
  const shown = [...roles.values()].map(({ name, provider, model, capabilities }) =>
    [name, provider, model, capabilities.join(' ')].join(', '),
  );
  expect(shown).toEqual([
    'user, human, , ',
    'writer, claude, opus, READ EDIT',
    'plan, opencode, , READ RUN_TESTS',
    'code-review, copilot, gpt-5, READ RUN_TESTS RUN_COMMANDS',
    'scout, gemini, , READ',
  ]);
  expect(written).toContain('agents/code-review/role.md');
  expect(disk.resolve('agents/code-review/role.md')).toBe('.github/agents/code-review.agent.md');
  expect(types.get('task')).toMatchObject({ from: ['user'], to: ['plan'] });
  expect(types.get('assignment')).toMatchObject({ from: ['plan'], to: ['writer', 'code-review', 'scout'] });
});

it.each([
  ['by its name', ['a', 'lead-dev'], 'lead-dev'],
  ['by its description', ['a', 'b: It coordinates'], 'b'],
  ['else the first', ['amislead', 'b: A planet'], 'amislead'],
])('lets one role lead, %s', (_, names, lead) => {
  const files = names.map((each) => {
    const [name = '', description = 'Works'] = each.split(': ');
    return [`.claude/agents/${name}.md`, agent(`description: ${description}`)] as const;
  });
  expect(made(Object.fromEntries(files)).types.get('task')?.to).toEqual([lead]);
});

it('asks nothing of others where there are none', () => {
  const { types } = made({ '.claude/agents/one.md': agent('name: one') });
  expect([types.has('task'), types.has('assignment')]).toEqual([true, false]);
});

it.each([
  ['claude', 'tools: []', 'READ'],
  ['claude', 'model: opus', 'READ EDIT RUN_TESTS', 'RUN_COMMANDS: it names no tools'],
  ['claude', 'tools: "*"', 'READ EDIT RUN_TESTS RUN_COMMANDS'],
  ['claude', 'tools: Bash(npm test:*), Edit', 'READ EDIT RUN_TESTS'],
  ['claude', 'tools: "Bash(git log:*, git diff)"', 'READ', 'part of a tool: Bash(git log:*, git diff)'],
  ['claude', 'tools: [Bash, Edit]\ndisallowedTools: Edit', 'READ RUN_TESTS RUN_COMMANDS'],
  ['claude', 'disallowedTools: Bash(rm:*)', 'READ EDIT', 'part of a tool: Bash'],
  ['claude', 'tools: Read, mcp__github__x', 'READ', 'no capability stands for `mcp__github__x`'],
  ['claude', 'tools: 7', 'READ', '`tools` is not a list of names'],
  ['github', "tools: ['edit/editFiles', SEARCH]", 'READ EDIT'],
  ['opencode', 'tools: { write: false, bash: true }', 'READ RUN_TESTS RUN_COMMANDS'],
  ['opencode', 'permission: allow', 'READ EDIT RUN_TESTS RUN_COMMANDS'],
  ['opencode', 'permission: { "*": deny, edit: allow }', 'READ EDIT'],
  ['opencode', 'permission: { edit: ask }', 'READ RUN_TESTS', 'part of a tool: edit'],
  ['opencode', 'permission: { bash: { "*": allow, "rm *": deny } }', 'READ EDIT', 'part of a tool: bash'],
  ['opencode', 'permissions: [{ action: shell, resource: "*", effect: deny }]', 'READ EDIT'],
  ['opencode', 'permissions: [{ action: edit, resource: src/*, effect: allow }]', 'READ RUN_TESTS', 'edit'],
])('of %s grants no more than `%s`: %s', (program, front, expected, said = '') => {
  const { roles, why } = made({ [`.${program}/agents/one.md`]: agent(front) });
  expect(roles.get('one')?.capabilities.join(' ')).toBe(expected);
  expect(why.join('\n')).toContain(said);
});

it('says what it does not take: settings, foreign models, and files that are not agents', () => {
  const files = {
    '.claude/agents/README.md': '# Agents\n',
    '.claude/agents/one.md': agent('name: one\ntools: Read\nmodel: opus\nhooks: {}\npermissionMode: plan'),
    '.gemini/agents/far.md': agent('name: far\nkind: remote'),
    '.opencode/agents/off.md': agent('disable: true'),
    '.opencode/agents/on.md': agent('model: a/b#high\ntools: { bash: true }\n"x\\u0007\\ny": 1'),
    '.github/agents/it.md': agent('model: Claude Sonnet 4.5\ntools: [read]'),
  };
  const { left_out, roles } = made(files, 'codex');
  expect(left_out.map(({ path, why }) => `${path}: ${why}`)).toEqual([
    '.claude/agents/README.md: it has no front matter',
    '.claude/agents/one.md: not taken: hooks, permissionMode',
    '.opencode/agents/off.md: it is disabled',
    '.opencode/agents/on.md: not taken: the variant #high of the model',
    '.opencode/agents/on.md: not taken: x\\u0007\\ny',
    '.github/agents/it.md: not the name of a model: "Claude Sonnet 4.5"',
    '.gemini/agents/far.md: it runs elsewhere (`kind: remote`)',
    '.claude/agents/one.md: not taken: opus, a model of claude',
    '.opencode/agents/on.md: not taken: a/b, a model of opencode',
  ]);
  expect(roles.get('one')).toMatchObject({ provider: 'codex', model: null });
});

it('keeps a description that exists, and writes through no link', () => {
  const disk = diskWith({
    '.claude/agents/a.md': agent('name: a'),
    '.claude/agents/b.md': agent('name: b'),
    'agents/a/role.md': 'Mine.\n',
    'elsewhere/x': '',
  });
  disk.plant('agents/b', '../elsewhere', 'link');
  const { kept, left_out, written } = teamFromAgents(disk, { from: 'claude', provider: null });
  expect(kept).toEqual(['agents/a/role.md']);
  expect(left_out).toContainEqual({ path: 'agents/b/role.md', why: 'agents/b is a link here' });
  expect(written).toEqual(['protocols/agents.yaml', '.gitignore']);
  expect(disk.list('elsewhere')).toEqual(['x']);
});

it('gives a description no line of its own in the protocol', () => {
  const { roles } = made({ '.claude/agents/a.md': agent('name: a\ndescription: "x\\n  evil: {}\\u2028y"') });
  expect([...roles.keys()]).toEqual(['user', 'a']);
});

const big = 'x'.repeat(300_000);
it.each<[string, Files, string, string]>([
  ['a slash', { 'a.md': agent('name: a/b') }, 'a.md:2:7', '"a/b" cannot be the name of a role'],
  ['a control character', { 'a.md': agent('name: "\\u0007"') }, 'a.md:2:7', '"\\u0007" cannot be'],
  ['a strange file name', { 'a b.md': agent('model: opus') }, 'a b.md:1:1', '"a b" cannot be'],
  ['no string as its name', { 'a.md': agent('name: [a]') }, 'a.md:2:7', '["a"] cannot be'],
  ['the name of a built-in role', { 'a.md': agent('name: User') }, 'a.md:2:7', '`User` is built in'],
  [
    'the name of another',
    { 'a.md': agent('name: x'), 'b.md': agent('model: y\nname: X') },
    'b.md:3:7',
    'two agents `X`',
  ],
  ['broken front matter', { 'a.md': agent('name: a\nmodel: b: c') }, 'a.md:3:8', 'a key cannot follow'],
  ['open front matter', { 'a.md': '---\nname: a\n' }, 'a.md:1:1', 'opened and not closed'],
  ['a list as front matter', { 'a.md': agent('- a') }, 'a.md:2:1', 'must be a mapping'],
  ['an alias', { 'a.md': agent('name: &a x') }, 'a.md:2:7', 'nchor'],
  ['too much text', { 'a.md': agent('name: a', big) }, 'a.md:1:1', 'the limit is 256 KiB'],
  ['bytes that are not text', { 'a.md': Buffer.from([0x2d, 0xff]) }, 'a.md:1:1', 'line 1, column 2'],
])('refuses an agent with %s, and writes nothing', (_, files, at, message) => {
  const found = problems(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`.claude/agents/${name}`, text])),
  );
  expect(found).toHaveLength(1);
  const [{ place, message: first } = { place: null, message: '' }] = found;
  expect(`${place?.file}:${place?.line}:${place?.column}`).toBe(`.claude/agents/${at}`);
  expect(first).toContain(message);
});

it('reads a description to the end of its line, as the programs do', () => {
  const text = agent('name: a\ndescription: Use it when: user says "x" # now\nmodel: opus');
  const { agents } = findAgents(diskWith({ '.claude/agents/a.md': text }), ['claude']);
  expect(agents).toMatchObject([{ description: 'Use it when: user says "x" # now', model: 'opus' }]);
});

it.each(['/etc/passwd', 'nowhere'])('refuses an agent that is a link to %s', (target) => {
  const disk = diskWith({});
  disk.plant('.claude/agents/a.md', target, 'link');
  expect(() => teamFromAgents(disk, { from: true, provider: null })).toThrow(ProblemsError);
});

it('names the programs where there is no agent, or no such program', () => {
  const disk = diskWith({});
  const team = (from: string | true) => () => teamFromAgents(disk, { from, provider: null });
  expect(team(true)).toThrow('no agent is in .claude/agents, .opencode/agent');
  expect(team('gemini')).toThrow('no agent is in .gemini/agents');
  expect(team('pi')).toThrow('`pi` is not a program whose agents are read');
});

it.each([
  ['---\nname: a\n---\nYou.\n', 'You.\n'],
  ['\uFEFF---\r\nname: a\r\n---\r\nYou.\r\n', 'You.\r\n'],
  ['---\nname: a\n', '---\nname: a\n'],
  ['---\nYou are it.\n---\nReally.\n', '---\nYou are it.\n---\nReally.\n'],
  ['You.\n---\na: b\n---\n', 'You.\n---\na: b\n---\n'],
])('reads the description of a role after its front matter: %j', (text, body) => {
  expect(text.slice(bodyStart(text))).toBe(body);
});
