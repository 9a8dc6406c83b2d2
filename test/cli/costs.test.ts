import { describe, expect, it } from 'vitest';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter, team } from './team.ts';
import { agents, fixture as sample } from '../providers/samples.ts';
import type { CostsDocument } from '../../src/documents/mail.ts';
import type { RunCard } from '../../src/letters/letters.ts';
import { readPartCosts } from '../../src/mail/questions/read-part-costs.ts';
import { runRow } from '../../src/workflow/runs/summary.ts';
import type { StoredRun } from '../../src/project/definition/contracts.ts';
import { emptyRunState } from '../../src/workflow/machine/state.ts';
import { World } from '../workflow/machine/world.ts';
import type { PartCosts } from '../../src/mail/questions/part-costs.ts';

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
      /^ROLE +LAUNCHES +TOKENS +DOLLARS +NOT REPORTED\nengineer +1 +\d+ +\$1\.0000 +0\narchitect +1 +\d+ +\$0\.1200 +0\ntotal +2 +\d+ +\$1\.1200 +0\n$/,
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
      'nothing was spent since 2026-11-22\n',
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
        `error E_USAGE: \`${by}\` is not a value of \`--by <kinds>\`\nhint: one or several of role, thread, workflow, run, step, provider, model, host, day, week, each once, separated by commas; or part, alone\n`,
      );
  });
});

/** What a recorded program printed. */
function printed(name: string, what: string) {
  const { provider: by } = agents.find((agent) => agent.name === name)!;
  return { stdout: sample(name, what).stdout, by };
}

describe('costs --by part', () => {
  /** Claude twice in one conversation, `between` milliseconds apart, codex once: each reads 1,000 tokens. */
  function played(between = 0): ProjectFixture {
    const sessions = team.replace('architect: {', 'architect: { session: thread,');
    const fixture = new ProjectFixture(
      sessions,
      new Map(agents.map((agent) => [agent.name, agent.provider])),
    );
    fixture.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n');
    fixture.work('architect', {
      files: { 'd.md': letter('design', 'engineer', 'How to add it') },
      printed: printed('claude', 'text'),
    });
    fixture.now += between;
    fixture.work('engineer', {
      files: { 'q.md': letter('question', 'architect', 'Which one?') },
      printed: printed('codex', 'text'),
    });
    fixture.work('architect', {
      files: { 'a.md': letter('answer', 'engineer', 'Re: Which one?') },
      printed: printed('claude', 'resume'),
    });
    return fixture;
  }

  async function parts(fixture: ProjectFixture, ...argv: string[]) {
    const { document } = (await fixture.json('costs', '--by', 'part', ...argv)) as Told<PartCosts>;
    const { document: costs } = (await fixture.json('costs', ...argv)) as Told<CostsDocument>;
    expect(document.total).toEqual(costs.total);
    expect(document.rows.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(costs.total.cost.tokens);
    return Object.fromEntries(document.rows.map(({ part, tokens }) => [part, tokens]));
  }

  function bytes(fixture: ProjectFixture, turn: string): { readonly role: number; readonly all: number } {
    const text = String(fixture.disk.read(`.mailroom/turns/${turn}/1/prompt.md`, 100_000));
    return { role: Buffer.byteLength(text.slice(0, text.indexOf('\n\n## Your mail'))), all: text.length };
  }

  it('counts what each call has read, and what only its sum is known of as unknown', async () => {
    const fixture = played();
    const [first, second] = [bytes(fixture, 't1'), bytes(fixture, 't3')];
    const role = Math.round(first.role / 4);
    const [mail, more] = [Math.round(first.all / 4) - role, Math.round(second.all / 4)];
    const system = 1000 - role - mail;
    expect(await parts(fixture)).toEqual({
      system: system + Math.min(system, 1000 - role - mail - more),
      role: 2 * role,
      mail: 2 * mail + more,
      files: 0,
      answers: 100,
      unknown: 1050,
    });
  });

  it('knows nothing of turns whose folders are gone', async () => {
    const fixture = played();
    fixture.disk.remove('.mailroom/turns/t1');
    expect(await parts(fixture)).toMatchObject({ system: 0, role: 0, files: 0, answers: 50 });
    fixture.disk.remove('.mailroom/turns/t3');
    expect(await parts(fixture)).toMatchObject({ system: 0, mail: 0, answers: 0, unknown: 3150 });
  });

  it('counts only the days that are asked for, in conversations that began before', async () => {
    const fixture = played(86_400_000);
    expect(await parts(fixture, '--since', '2026-11-21')).toMatchObject({ answers: 100, unknown: 1050 });
    const { system = 0, ...rest } = await parts(fixture, '--since', '2026-11-22');
    expect(rest).toMatchObject({ answers: 50, unknown: 1050 });
    expect(system).toBeGreaterThan(0);
    expect((await fixture.run('costs', '--by', 'part', '--since', '2026-11-23')).out).toBe(
      'nothing was spent since 2026-11-23\n',
    );
  });

  it('is a table that says what is estimated, or CSV', async () => {
    const fixture = played();
    expect((await fixture.run('costs', '--by', 'part')).out).toMatch(
      /^PART +TOKENS +SHARE\nsystem prompt and tools +about \d+ +\d+\.\d %\n(.+\n){3}answers +100 +3\.2 %\nunknown +1050 +33\.3 %\ntotal +3150\nabout: .+\nDollars .+: \$\d\.\d{4}\n$/,
    );
    expect((await fixture.run('costs', '--by', 'part', '--csv')).out).toContain('\r\nanswers,100,0.03');
  });

  it('counts the whole prompt of a step as mail', async () => {
    const fixture = new ProjectFixture();
    const world = new World('a : agent=claude\nb : agent=codex');
    world.done('a', { tokens: 1050 });
    world.done('b', { tokens: 400 });
    fixture.runs = [{ run: 'r1' } as RunCard];
    const folder = '.mailroom/runs/r1/steps/a/1.1';
    fixture.disk.plant(`${folder}/prompt.md`, 'x'.repeat(400));
    fixture.disk.plant(`${folder}/stdout`, sample('claude', 'text').stdout);
    const project = fixture.project();
    const history = () => ({ before: emptyRunState(), events: world.history, complete: true });
    project.workflows.run = () => ({ history }) as unknown as StoredRun;
    project.workflows.row = () => runRow(world.state, world.rules);
    const { rows } = await readPartCosts(project, null, fixture.now);
    expect(rows.map(({ part, tokens }) => [part, tokens])).toEqual([
      ['system', 900],
      ['role', 0],
      ['mail', 100],
      ['files', 0],
      ['answers', 50],
      ['unknown', 400],
    ]);
  });

  it('stands alone', async () => {
    for (const by of ['part,role', 'role, part'])
      expect(await paid().run('costs', '--by', by)).toMatchObject({
        code: 2,
        err: 'error E_USAGE: `part` stands alone, and only the command line has it\nhint: run mailroom costs --by part\n',
      });
  });
});
