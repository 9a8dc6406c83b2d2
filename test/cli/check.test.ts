import { describe, expect, it } from 'vitest';
import type { CheckDocument } from '../../src/engine/operations/check.ts';
import { Bench, type Told } from './bench.ts';

describe('check', () => {
  it('says that all is well', async () => {
    expect(await new Bench().run('check', '--no-explore')).toMatchObject({
      code: 0,
      out: 'ok: 5 roles, 9 types\n',
    });
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
});
