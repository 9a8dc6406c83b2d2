import { describe, expect, it } from 'vitest';
import type { CheckDocument } from '../../src/operations/check.ts';
import { Bench, type Told } from './bench.ts';

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

describe('check', () => {
  it('says that all is well', async () => {
    expect(await new Bench().run('check', '--no-explore')).toMatchObject({
      code: 0,
      out: 'ok: 5 roles, 9 types\n',
    });
  });

  it('explores the protocol, and shows the shortest way to a state in which somebody is stuck', async () => {
    expect((await new Bench().run('check')).out).toMatch(/^ok: 5 roles, 9 types, explored \d+ states\n$/);
    const bench = new Bench(joined);
    const { code, out, err } = await bench.run('check', '--explore');
    expect(err).toMatchInlineSnapshot(`
      "warning E_STUCK: a role waits forever: part for b is never picked up: the messages that it waits for never come
      hint: this leads there: user → a: task; a → b: part

      warning E_STUCK: a role waits forever: no role can continue: a waits for b (ask)
      hint: this leads there: user → a: task; a → b: ask

      "
    `);
    expect(out).toMatch(/^ok: 3 roles, 4 types, 2 warnings, explored \d+ states\n$/);
    expect(code).toBe(0);
    const { document } = (await bench.json('check')) as Told<CheckDocument>;
    expect(document).toMatchObject({
      ok: true,
      warnings: [{ code: 'E_STUCK', file: null }, { code: 'E_STUCK' }],
      exploration: { complete: true, stuck: [{}, { path: ['user → a: task', 'a → b: ask'] }] },
    });
    const skipped = (await bench.json('check', '--no-explore')) as Told<CheckDocument>;
    expect(skipped.document).toMatchObject({ exploration: null, warnings: [] });
  });

  it('says when the exploration took too long', async () => {
    const bench = new Bench();
    const now = () => (bench.now += 1_000);
    const { check } = await import('../../src/operations/check.ts');
    const { document } = await check(
      bench.project(),
      { list: () => [], read: () => Promise.reject(new Error('none')) },
      'also',
      now,
    );
    expect(document.exploration).toMatchObject({ complete: false });
  });

  it('shows every problem where it stands, with exit code 2', async () => {
    const bench = new Bench();
    bench.text = bench.text.replace('from: [qa]', 'from: [quality]').replace('start: {', 'strat: {');
    const { code, out, err } = await bench.run('check');
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
    const bench = new Bench();
    bench.text = bench.text.replace('from: [qa]', 'from: [quality]');
    const { code, document } = (await bench.json('check')) as Told<CheckDocument>;
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
    const bench = new Bench();
    bench.disk.write('workflows/ship.yaml', workflow('make'));
    expect(await bench.run('check', '--no-explore')).toMatchObject({
      code: 0,
      out: 'ok: 5 roles, 9 types, 1 workflow\n',
    });
    bench.disk.write('workflows/parts/bad.yaml', workflow('make').replace('command', 'comand'));
    const { code, err } = await bench.run('check', '--no-explore');
    expect(err).toContain(
      'workflows/parts/bad.yaml:5:8: error E_UNKNOWN_KEY: `comand` is not a key of a step',
    );
    expect(code).toBe(2);
    expect((await bench.run('check', '--explore')).code).toBe(0);
  });
});

function workflow(program: string): string {
  return `name: ship\nversion: "1"\ntimeout: 1h\nsteps:\n  a: { command: [${program}] }\n`;
}
