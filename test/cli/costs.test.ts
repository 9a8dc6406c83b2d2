import { describe, expect, it } from 'vitest';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter } from './team.ts';
import type { CostsDocument } from '../../src/documents/mail.ts';

function paid(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n\nTo the list command.\n');
  fixture.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How to add it') }, usd: 0.12 });
  fixture.work('engineer', {
    files: { 'r.md': letter('review-request', 'qa', 'Review of the flag') },
    usd: 1,
  });
  return fixture;
}

describe('costs', () => {
  it('shows by role what was paid, the most expensive first', async () => {
    expect((await paid().run('costs')).out).toMatch(
      /^ROLE +LAUNCHES +TOKENS +DOLLARS +UNPRICED\nengineer +1 +\d+ +\$1\.0000 +0\narchitect +1 +\d+ +\$0\.1200 +0\ntotal +2 +\d+ +\$1\.1200 +0\n$/,
    );
  });

  it('tells it by thread, as a document', async () => {
    const fixture = paid();
    const { document } = (await fixture.json('costs', '--by', 'thread')) as Told<CostsDocument>;
    expect(document).toMatchObject({ schema: 1, by: ['thread'], since: null, total: { launches: 2 } });
    expect(document.rows.map(({ key, cost }) => [key.thread, cost.usd])).toEqual([
      [fixture.id('Add a --json flag'), 1.12],
    ]);
  });

  it('begins with a day, or so long ago', async () => {
    const fixture = paid();
    expect((await fixture.run('costs', '--since', '2026-11-22')).out).toBe(
      'nothing was paid since 2026-11-22\n',
    );
    expect((await fixture.run('costs', '--since', '1h')).out).toContain('total');
    expect(await fixture.run('costs', '--since', 'monday')).toMatchObject({ code: 2 });
  });

  it('are listed by several keys, as CSV, too', async () => {
    const fixture = paid();
    expect((await fixture.run('costs', '--by', 'role,model')).out).toMatch(
      /^ROLE +MODEL +LAUNCHES .*\nengineer +\(not reported\) +1 .*\narchitect .*\ntotal +2 +/,
    );
    expect((await fixture.run('costs', '--by', 'week,role', '--csv')).out).toMatch(
      /^week,role,launches,tokens,usd,unpriced\r\n2026-W47,engineer,1,\d+,1,0\r\n2026-W47,architect,1,\d+,0\.12,0\r\n$/,
    );
    expect(await fixture.run('costs', '--csv', '--json')).toMatchObject({ code: 2 });
    for (const by of ['nonsense', 'role,role', 'role,', ''])
      expect((await fixture.run('costs', '--by', by)).err).toBe(
        `error E_USAGE: \`${by}\` is not a value of \`--by <kinds>\`\nhint: one or several of role, thread, run, step, provider, model, host, day, week, each once, separated by commas\n`,
      );
  });
});
