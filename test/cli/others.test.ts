import { letter } from './team.ts';
import { describe, expect, it } from 'vitest';
import { ProjectFixture, type Told } from './project-fixture.ts';

describe('init', () => {
  it('prints what was written and kept, and what comes next', async () => {
    const { code, out } = await new ProjectFixture().run('init', 'my-project');
    expect(out).toMatchInlineSnapshot(`
      "wrote protocols/feature-team.yaml
      wrote mailroom.yaml
      kept  agents/qa/role.md

      The roles use the provider claude.
      Next:
        1. cd my-project && mailroom check
        2. mailroom send architect --message "…"
        3. mailroom up   (Ctrl-C ends it)
        4. mailroom status, mailroom trail   (in another terminal, or afterwards)
      "
    `);
    expect(code).toBe(0);
  });

  it('says that mail will wait for a program that is not installed', async () => {
    const { out } = await new ProjectFixture().run('init', '--provider', 'codex');
    expect(out).toContain(
      'The roles use the provider codex.\ncodex is not installed here: mail waits until it is.\nNext:\n',
    );
  });

  it('adds only what is missing to a project with a protocol', async () => {
    const fixture = new ProjectFixture();
    fixture.protocolFiles = ['protocols/team.yaml'];
    expect(await fixture.run('init')).toMatchObject({
      code: 0,
      out: 'wrote .gitignore\nprotocols/team.yaml is kept: this is a project already\n',
    });
    const { out } = await fixture.run('init', '--json');
    const nothing = { template: null, kept: [], provider: null };
    expect(JSON.parse(out)).toEqual({ schema: 1, root: '/project', written: ['.gitignore'], ...nothing });
    expect(await fixture.run('init', '--provider', 'codex')).toMatchObject({
      code: 2,
      err:
        'error E_USAGE: `--provider` is for a new project, and /project has a protocol: protocols/team.yaml\n' +
        'hint: set `defaults.provider` in mailroom.yaml\n',
    });
    // The template leaves its protocol out.
    expect(await fixture.run('init', '--template', 'solo')).toMatchObject({ code: 0 });
  });

  it('is a document', async () => {
    const { out } = await new ProjectFixture().run(
      'init',
      '--template',
      'solo',
      '--provider',
      'codex',
      '--json',
    );
    expect(JSON.parse(out)).toEqual({
      schema: 1,
      root: '/project',
      template: 'solo',
      written: ['protocols/solo.yaml', 'mailroom.yaml'],
      kept: ['agents/qa/role.md'],
      left_out: [],
      provider: 'codex',
    });
  });

  it('knows its templates', async () => {
    expect(await new ProjectFixture().run('init', '--template', 'sulo')).toMatchObject({
      code: 2,
      err: 'error E_USAGE: there is no template `sulo`\nhint: did you mean `solo`?\n',
    });
  });

  it('knows the providers that a new project can have', async () => {
    expect(await new ProjectFixture().run('init', '--provider', 'cloude')).toMatchObject({
      code: 2,
      err: 'error E_USAGE: there is no provider `cloude`\nhint: did you mean `claude`?\n',
    });
  });
});

describe('doctor', () => {
  it('adds what is missing with --fix', async () => {
    const fixture = new ProjectFixture();
    fixture.findings.push({ topic: 'git', state: 'ok', text: '2.39' });
    expect(await fixture.run('doctor', '--fix')).toMatchObject({ out: 'wrote .gitignore\n✓ git  2.39\n' });
    const { document } = await fixture.json('doctor', '--fix');
    expect(document).toMatchObject({ ok: true, fixed: ['.gitignore'] });
  });

  it('shows what it found, and fails when something would not work', async () => {
    const fixture = new ProjectFixture();
    fixture.findings = [
      { topic: 'node', state: 'ok', text: '20.20.2' },
      { topic: 'claude', state: 'warning', text: 'is not here\nnpm i -g it' },
      { topic: 'sandbox', state: 'info', text: 'none' },
    ];
    expect(await fixture.run('doctor')).toEqual({
      code: 0,
      out: '✓ node     20.20.2\n! claude   is not here\n           npm i -g it\n· sandbox  none\n',
      err: '',
    });
    fixture.findings.push({ topic: 'git', state: 'problem', text: 'is not here' });
    const { code, document } = (await fixture.json('doctor')) as Told<object>;
    expect(code).toBe(1);
    expect(document).toMatchObject({ schema: 1, ok: false, findings: fixture.findings });
  });
});

describe('completion', () => {
  const values = async (fixture: ProjectFixture, ...words: string[]) => {
    const { out } = await fixture.run('complete', '--', ...words);
    return out
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[0]);
  };

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, out } = await new ProjectFixture().run('completion', shell);
    expect(code).toBe(0);
    expect(out).toContain('_mailroom_complete');
    expect(out).toContain('orchestrate');
  });

  it('knows commands, options, roles and ids', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/architect/inbox/a.md', 'Begin\n');
    const id = fixture.id('Begin');
    expect(await values(fixture, 'st')).toEqual(['stop', 'status']);
    expect(await values(fixture, 'status', '--w')).toEqual(['--watch']);
    expect(await values(fixture, 'send', '')).toEqual(['architect', 'engineer', 'lead', 'qa', 'user']);
    expect(await values(fixture, '-C', '/else', 'send', 'q')).toEqual(['qa']);
    expect(await values(fixture, 'send', 'qa', '--type', 'rev')).toEqual([
      'review-request',
      'review-feedback',
    ]);
    expect(await values(fixture, 'send', 'qa', '--as', 'l')).toEqual(['lead']);
    expect(await values(fixture, 'send', 'qa', '')).toEqual([]);
    expect(await values(fixture, 'show', '')).toEqual([id.slice(-6), 't1']);
    expect(await values(fixture, 'show', id.slice(-6, -3))).toEqual([id.slice(-6)]);
    expect(await values(fixture, 'trail', id.slice(0, 5))).toEqual([id]);
    expect(await values(fixture, 'pause', 'a')).toEqual(['all', 'architect']);
    for (const command of ['run', 'plan', 'watch', 'validate'])
      expect(await values(fixture, command, 're')).toEqual(['release/ship']);
    expect(await values(fixture, 'validate', 'other', 're')).toEqual(['release/ship']);
    expect(await values(fixture, 'explain', 'E_BUD')).toEqual(['E_BUDGET']);
    expect(await values(fixture, 'help', 'commands/se')).toEqual(['commands/send', 'commands/serve']);
    expect(await values(fixture, 'completion', 'f')).toEqual(['fish']);
    expect(await values(fixture, 'init', '--template', '')).toEqual(['feature-team', 'solo']);
    expect(await values(fixture, 'nonsense', '')).not.toContain('complete');
  });

  it('says what an id, a number of the inbox or a gate means', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
    const run = '01a206be-3311-7576-8a55-fdcca0e1b40a';
    const card = {
      run,
      workflow: 'ship',
      workspace: '/project',
      source: null,
      startedBy: 'person',
      person: 'ada',
    } as const;
    fixture.runs = [{ ...card, startedAt: Date.UTC(2026, 10, 21, 20, 45) }];
    const lines = async (...words: string[]) => (await fixture.run('complete', '--', ...words)).out;
    expect(await lines('reply', '@')).toBe('@1\tquestion from engineer: Which parser?\n');
    expect(await lines('reply', fixture.id('Which parser?').slice(-6))).toBe(
      `${fixture.id('Which parser?').slice(-6)}\tengineer → lead: question — Which parser?\n`,
    );
    for (const words of [['logs'], ['resume'], ['cancel'], ['show'], ['approve']])
      expect(await lines(...words, 'e1b')).toBe('e1b40a\trun of ship, started 2026-11-21 20:45 UTC\n');
    expect(await lines('logs', '01a206be')).toBe(`${run}\trun of ship, started 2026-11-21 20:45 UTC\n`);
  });

  it('has nothing to offer where there is no project', async () => {
    const fixture = new ProjectFixture();
    fixture.hasProject = false;
    expect(await values(fixture, 'send', '')).toEqual([]);
  });
});
