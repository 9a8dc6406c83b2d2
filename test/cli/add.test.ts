import { expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';

const file = 'protocols/team.yaml';

it('adds a role and keeps every other byte of the protocol', async () => {
  const fixture = new ProjectFixture();
  const before = fixture.text;
  const { code, out } = await fixture.run('add', 'role', 'backend');
  expect(code).toBe(0);
  expect(out).toBe(
    `wrote protocols/team.yaml\nwrote agents/backend/role.md\n\nIt may read, and gets no mail yet. Next:\n` +
      `  1. say what it does in agents/backend/role.md\n` +
      `  2. name it in protocols/team.yaml, under \`to\` and \`from\` of the messages that it gets and sends\n` +
      `  3. \`mailroom check\`\n  4. start \`mailroom up\` again: it works by the protocol of its start\n`,
  );
  const added = fixture.text.replace(/^ {2}backend:[^]*?(?=^\S)/m, '');
  expect(added).toBe(before);
  expect(fixture.text).toMatch(/^ {2}backend:\s+\{? ?provider: claude,?\s+capabilities: \[READ\]/m);
  expect(fixture.disk.read('agents/backend/role.md', 1_000)?.toString()).toMatch(/^You are backend\. /);
});

it('keeps a description that exists', async () => {
  const fixture = new ProjectFixture();
  fixture.disk.write('agents/backend/role.md', 'Mine.\n');
  expect((await fixture.json('add', 'role', 'backend')).document).toEqual({
    schema: 1,
    role: 'backend',
    written: [file],
  });
  expect(fixture.disk.read('agents/backend/role.md', 1_000)?.toString()).toBe('Mine.\n');
});

it('keeps the permissions of the protocol, and adds nothing where the description cannot lie', async () => {
  const fixture = new ProjectFixture();
  fixture.disk.write(file, fixture.text, { mode: 0o777 });
  expect((await fixture.run('add', 'role', 'backend')).code).toBe(0);
  expect(fixture.disk.look(file)?.executable).toBe(true);
  const before = fixture.text;
  fixture.disk.plant('agents/frontend/role.md', 'nowhere', 'link');
  const { code, err } = await fixture.run('add', 'role', 'frontend');
  expect({ code, err }).toEqual({
    code: 2,
    err: 'error E_USAGE: agents/frontend/role.md is a link\nhint: move it away\n',
  });
  expect(fixture.text).toBe(before);
});

it.each([
  ['qa', `there is already a role \`qa\`\nhint: it is in ${file}, under \`roles\``],
  ['user', 'there is already a role `user`\nhint: it is built in'],
  ['../x', '`../x` cannot be the name of a role\nhint: '],
  ['Big Name', '`Big Name` cannot be the name of a role\nhint: '],
])('does not add %j, and writes nothing', async (name, text) => {
  const fixture = new ProjectFixture();
  const before = fixture.text;
  const { code, err } = await fixture.run('add', 'role', name);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`error E_USAGE: ${text}`) });
  expect(fixture.text).toBe(before);
});

it('refuses a protocol with an error, with its place', async () => {
  const fixture = new ProjectFixture();
  fixture.text = fixture.text.replace('from: [qa]', 'from: [quality]');
  const { code, err } = await fixture.run('add', 'role', 'backend');
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^protocols\/team\.yaml:\d+:\d+: error/),
  });
});

it('gives the role what every role of the project needs', async () => {
  const fixture = new ProjectFixture();
  fixture.text = fixture.text.replace(
    'architect: { provider: claude, capabilities: [READ] }',
    'architect:\n    provider: claude\n    budget: { usd: 1 } # of one turn\n    timeout: 20m',
  );
  await fixture.run('add', 'role', 'backend');
  const role = fixture.protocol.roles.get('backend');
  expect(role).toMatchObject({ provider: 'claude', timeout: 1_200_000, budget: { usd: 1 } });
});
