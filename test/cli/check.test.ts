import { describe, expect, it } from 'vitest';
import type { CheckDocument } from '../../src/project/check.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';

/** `b` takes up `ask` only together with `part`, which `a` cannot send while it waits. */
const joined = `name: joined
version: '1'
roles:
  a: { provider: claude, capabilities: [READ] }
  b: { provider: claude, capabilities: [READ] }
messages:
  task: { from: user, to: a }
  ask: { from: a, to: b, reply: [tell] }
  part: { from: a, to: b }
  tell: { from: b, to: a }
expects:
  b: [{ all: [ask, part] }]
`;

const untimed = 'architect, engineer and qa time out after 2h, the default `timeout`\n';

describe('check', () => {
  it('says that all is well', async () => {
    expect(await new ProjectFixture().run('check', '--no-explore')).toMatchObject({
      code: 0,
      out: `ok: 5 roles, 9 types, 1 warning accepted; ${untimed}`,
    });
  });

  it('says which role cannot ask, where the protocol has replaced the built-in question', async () => {
    const work = (from: string) => `roles: { a: { provider: claude }, b: { provider: claude } }
messages:
  task: { from: user, to: [a, b] }
  done: { from: [a, b], to: user }
  ${from === '' ? '' : `question: { from: ${from}, to: user, reply: answer }`}
  ${from === '' ? '' : `answer: { from: user, to: ${from} }`}
`;
    const said = async (text: string) =>
      (await new ProjectFixture(text).run('check', '--no-explore')).err.replaceAll(
        /^protocols\/team.yaml:/gm,
        '',
      );
    expect(await said(work(''))).toBe('');
    expect(await said(work('[a, b]'))).toBe('');
    expect(
      await said(`${work('a')}  help: { from: b, to: a, reply: helped }\n  helped: { from: a, to: b }\n`),
    ).toBe('');
    expect(await said(work('a'))).toMatchInlineSnapshot(`
      "5:3: warning E_PROTOCOL: \`b\` cannot ask: it may send no request, and a protocol with a type \`question\` of its own has no built-in \`question\`
          question: { from: a, to: user, reply: answer }
          ^^^^^^^^
      hint: name \`b\` under \`from\` of \`question\`, and under \`to\` of \`answer\`

      "
    `);
    expect(await said(work('').replace('task:', 'question:'))).toMatchInlineSnapshot(`
      "3:3: warning E_PROTOCOL: \`a\`, \`b\` cannot ask: they may send no request, and a protocol with a type \`question\` of its own has no built-in \`question\`
          question: { from: user, to: [a, b] }
          ^^^^^^^^
      hint: let \`a\`, \`b\` send a type with \`reply\`, or give this type another name

      "
    `);
    expect(await said(work('').replace('done:', 'answer:'))).toMatchInlineSnapshot(`
      "4:3: warning E_PROTOCOL: \`a\`, \`b\` cannot ask: they may send no request, and a protocol with a type \`answer\` of its own has no built-in \`question\`
          answer: { from: [a, b], to: user }
          ^^^^^^
      hint: let \`a\`, \`b\` send a type with \`reply\`, or give this type another name

      "
    `);
  });

  it('explores the protocol, and shows the shortest way to a state in which somebody is stuck', async () => {
    expect((await new ProjectFixture().run('check')).out).toMatch(
      /^ok: 5 roles, 9 types, 1 warning accepted, explored \d+ states; architect, engineer and qa time out after 2h, the default `timeout`\n$/,
    );
    const fixture = new ProjectFixture(joined);
    const { code, out, err } = await fixture.run('check', '--explore');
    expect(err).toMatchInlineSnapshot(`
      "protocols/team.yaml:9:3: warning E_STUCK: a role waits forever: part for b is never picked up: the messages that it waits for never come
          part: { from: a, to: b }
          ^^^^
      hint: this leads there: user → a: task; a → b: part

      protocols/team.yaml:8:3: warning E_STUCK: a role waits forever: no role can continue: a waits for b (ask)
          ask: { from: a, to: b, reply: [tell] }
          ^^^
      hint: this leads there: user → a: task; a → b: ask

      "
    `);
    expect(out).toMatch(
      /^ok: 3 roles, 4 types, 2 warnings, explored \d+ states; a and b time out after 2h, the default `timeout`\n$/,
    );
    expect(code).toBe(0);
    const { document } = (await fixture.json('check')) as Told<CheckDocument>;
    expect(document).toMatchObject({
      ok: true,
      warnings: [{ code: 'E_STUCK', file: 'protocols/team.yaml' }, { code: 'E_STUCK' }],
      exploration: { complete: true, stuck: [{}, { path: ['user → a: task', 'a → b: ask'] }] },
    });
    const skipped = (await fixture.json('check', '--no-explore')) as Told<CheckDocument>;
    expect(skipped.document).toMatchObject({ exploration: null, warnings: [], default_timeout: ['a', 'b'] });
  });

  it('says on a terminal how far an exploration is that takes longer than a second', async () => {
    const fixture = new ProjectFixture(joined);
    let time = 0;
    Object.assign(fixture.terminal, { interactive: true, now: () => (time += 400) });
    await fixture.run('check');
    const { replaced, err } = fixture.terminal;
    expect(replaced.at(0)).toBe('exploring the protocol: 3 states');
    expect(replaced.at(-1)).toBe('');
    expect(err).not.toContain('exploring');
    fixture.terminal.replaced.length = 0;
    Object.assign(fixture.terminal, { now: () => (time += 1) });
    await fixture.run('check');
    expect(fixture.terminal.replaced).toEqual([]);
  });

  it('says where no thread can begin, and not where steps of workflows begin them', async () => {
    const idle = `name: idle
version: '1'
roles: { a: { provider: claude }, b: { provider: claude } }
messages:
  ask: { from: a, to: b, reply: [told] }
  told: { from: b, to: a }
`;
    const fixture = new ProjectFixture(idle);
    const { out, err } = await fixture.run('check');
    expect(out).toMatch(/^no thread can begin: 3 roles, 2 types, /);
    expect(err).toContain('protocols/team.yaml:5:3: warning E_PROTOCOL: no thread can begin: ');
    const flow =
      "name: flow\nversion: '1'\ntimeout: 5m\nsteps:\n  work: { role: a, instructions: Work., timeout: 1m }\n";
    fixture.disk.plant('workflows/flow.yaml', flow);
    const begun = await fixture.run('check');
    expect(begun.code).toBe(0);
    expect(begun.err).not.toContain('no thread can begin');
    expect(begun.out).toMatch(/^ok: 3 roles, 2 types, 1 workflow/);
  });

  it('accepts a stuck state at its message type with a reason', async () => {
    const accepted = joined
      .replace(/^ {2}ask: .*$/m, '$& # mailroom-ok: E_STUCK a sends both')
      .replace(/^ {2}part: /m, '  # mailroom-ok: E_STUCK a sends both\n$&');
    const fixture = new ProjectFixture(accepted);
    const checked = await fixture.run('check');
    expect(checked).toMatchObject({ code: 0, err: '' });
    expect(checked.out).toMatch(
      /^ok: 3 roles, 4 types, 2 warnings accepted, explored \d+ states; a and b time out after 2h, the default `timeout`\n$/,
    );
    expect(await fixture.run('check', '--no-explore')).toMatchObject({ err: '' });
    expect((await fixture.json('check')).document).toMatchObject({ warnings: [], accepted: 2 });
  });

  it('accepts a warning about the text of a role, where it stands there', async () => {
    const fixture = new ProjectFixture();
    const says = (line: string) => fixture.disk.plant('agents/qa/role.md', `# qa\n\n${line}\n`);
    says('Send `delivered` to user.');
    expect((await fixture.run('check', '--no-explore')).err).toContain(
      'agents/qa/role.md:3:7: warning E_PROTOCOL',
    );
    says('<!-- mailroom-ok: E_PROTOCOL they know -->\nSend `delivered` to user.');
    expect(await fixture.run('check', '--no-explore')).toMatchObject({
      err: '',
      out: expect.stringContaining('2 warnings accepted'),
    });
    says('<!-- mailroom-ok: E_PROTOCOL they know -->\nRead.');
    expect((await fixture.run('check', '--no-explore')).err).toContain('accepts no `E_PROTOCOL` here');
  });

  it('finds nothing stuck in a join whose message goes to all', async () => {
    const split = `name: split
version: '1'
roles:
  planner: { provider: claude, capabilities: [READ] }
  backend: { provider: claude, capabilities: [READ] }
  frontend: { provider: claude, capabilities: [READ] }
  integrator: { provider: claude, capabilities: [READ] }
messages:
  task: { from: user, to: planner }
  part: { from: planner, to: { all: [backend, frontend] } }
  backend-done: { from: backend, to: integrator }
  frontend-done: { from: frontend, to: integrator }
  delivered: { from: integrator, to: user, closes: true }
expects:
  integrator: [{ all: [backend-done, frontend-done] }]
`;
    expect(await new ProjectFixture(split).run('check', '--explore')).toMatchObject({ code: 0, err: '' });
    const one = split.replace('{ all: [backend, frontend] }', '[backend, frontend]');
    expect((await new ProjectFixture(one).run('check', '--explore')).err).toContain('warning E_STUCK');
  });

  it('says that the exploration ended at its limits', async () => {
    const parts = [1, 2, 3, 4, 5, 6].map((number) => `part${String(number)}: { from: a, to: b }`);
    const joins = [1, 3, 5].map((number) => `{ all: [part${String(number)}, part${String(number + 1)}] }`);
    const fixture = new ProjectFixture(
      joined
        .replace('part: { from: a, to: b }', parts.join('\n  '))
        .replace('b: [{ all: [ask, part] }]', `b: [${joins.join(', ')}, { any: [ask] }]`),
    );
    const { out } = await fixture.run('check');
    expect(out).toMatch(
      /^ok: 3 roles, 9 types, 5 warnings, explored \d+ states? up to its limits, and there are more; a and b time out after 2h, the default `timeout`\n$/,
    );
    const { document } = (await fixture.json('check')) as Told<CheckDocument>;
    expect(document.exploration).toMatchObject({ complete: false });
  });

  it('looks for the variables of channels where the program is called', async () => {
    const fixture = new ProjectFixture();
    const channel = '{ kind: github, repository: acme/shop, people: { octocat: user } }';
    fixture.disk.plant('mailroom.yaml', `channels: { github: ${channel} }\n`);
    const unset = 'the channel github uses the variable GITHUB_TOKEN, which is not set here';
    expect((await fixture.run('check', '--no-explore')).err).toContain(unset);
    fixture.environment = { GITHUB_TOKEN: 'x' };
    expect((await fixture.run('check', '--no-explore')).err).not.toContain(unset);
  });

  it('shows every problem where it stands, with exit code 2', async () => {
    const fixture = new ProjectFixture();
    fixture.text = fixture.text.replace('from: [qa]', 'from: [quality]').replace('start: {', 'strat: {');
    const { code, out, err } = await fixture.run('check');
    expect(code).toBe(2);
    expect(err).toMatchInlineSnapshot(`
      "protocols/team.yaml:23:12: error E_UNKNOWN_NAME: no role is called \`quality\`
            from: [quality]
                   ^^^^^^^
      hint: there are \`user\`, \`architect\`, \`engineer\`, \`qa\`, \`lead\`, \`workflow\`

      protocols/team.yaml:27:1: error E_UNKNOWN_KEY: \`strat\` is not a key of a protocol
        strat: { type: task, to: architect }
        ^^^^^
      hint: did you mean \`start\`?

      "
    `);
    expect(out).toMatch(/^\d+ errors\n$/);
  });

  it('is a document', async () => {
    const fixture = new ProjectFixture();
    fixture.text = fixture.text.replace('from: [qa]', 'from: [quality]');
    const { code, document } = (await fixture.json('check')) as Told<CheckDocument>;
    expect(code).toBe(2);
    expect(document).toMatchObject({ schema: 1, ok: false, roles: 0, types: 0, warnings: [] });
    expect(document.errors[0]).toMatchObject({
      code: 'E_UNKNOWN_NAME',
      file: 'protocols/team.yaml',
      line: 23,
      column: expect.any(Number),
    });
  });

  it('reads the workflows, too', async () => {
    const fixture = new ProjectFixture();
    fixture.disk.write('workflows/ship.yaml', workflow('make'));
    expect(await fixture.run('check', '--no-explore')).toMatchObject({
      code: 0,
      out: `ok: 5 roles, 9 types, 1 workflow, 1 warning accepted; ${untimed}`,
    });
    fixture.disk.write('workflows/parts/bad.yaml', workflow('make').replace('command', 'comand'));
    const { code, err } = await fixture.run('check', '--no-explore');
    expect(err).toContain(
      'workflows/parts/bad.yaml:5:8: error E_UNKNOWN_KEY: `comand` is not a key of a step',
    );
    expect(code).toBe(2);
    expect((await fixture.run('check', '--explore')).code).toBe(0);
  });
});

function workflow(program: string): string {
  return `name: ship\nversion: "1"\ntimeout: 1h\nsteps:\n  a: { command: [${program}] }\n`;
}
