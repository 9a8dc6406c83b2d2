import { describe, expect, it } from 'vitest';
import { explanations, Manual } from '../../src/cli/manual.ts';
import { errorCodes } from '../../src/kernel/errors.ts';
import { packageRoot } from '../support/in-process.ts';
import { ProjectFixture } from './project-fixture.ts';

describe('explain', () => {
  it('knows every code of an error, by the words of the documentation', async () => {
    const known = explanations(new Manual(packageRoot).page('errors'));
    expect(known.map(({ code }) => code).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
    for (const { meaning, remedy } of known) expect([meaning, remedy]).not.toContain('');
    const { code, out } = await new ProjectFixture().run('explain', 'e_budget');
    expect({ code, out }).toEqual({
      code: 0,
      out:
        'E_BUDGET: the next launch would exceed a budget; the reason says what failed first\n\n' +
        'What to do: repair what failed first; raise the budget in `limits`, then `mailroom retry <id>`; of a run ' +
        '`budget` in its file, then `mailroom resume <run> --update`\n\n' +
        'More: `mailroom help errors`\n',
    });
  });

  it('knows the codes of `why`, and names the page of a link', async () => {
    const fixture = new ProjectFixture();
    expect((await fixture.run('explain', 'join-incomplete')).out).toMatch(
      /^join_incomplete: the role picks up/,
    );
    expect((await fixture.run('explain', 'E_WORKER')).out).toContain('workers (`mailroom help workers`)');
    const { code, err } = await fixture.run('explain', 'E_BUGDET');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error E_TARGET: there is no code `E_BUGDET`\nhint: did you mean `E_BUDGET`?\n',
    });
  });
});

describe('help', () => {
  it('prints every page that it lists, by its path', async () => {
    const { out } = await new ProjectFixture().run('help', 'topics');
    const names = out.split('\n').flatMap((line) => /^\S+/.exec(line)?.[0] ?? []);
    expect(names).toContain('commands/send');
    const manual = new Manual(packageRoot);
    for (const name of names) expect(manual.page(`docs/${name}.md`).text).toMatch(/^# /);
  });

  it('finds a page by the last part of its path, and a command first', async () => {
    const fixture = new ProjectFixture();
    expect((await fixture.run('help', 'errors')).out).toMatch(/^# Error codes\n/);
    expect((await fixture.run('help', 'send')).out).toMatch(/^Usage: mailroom send /);
    expect((await fixture.run('help', 'trubleshooting')).err).toContain('did you mean `troubleshooting`?');
    expect((await fixture.run('help', '../package')).code).toBe(2);
  });

  it.each([
    [
      'landing',
      /^## Landing\n[^]*\nMore: `mailroom help concepts` \(Landing\), `mailroom help protocol` \(Landing\)/,
    ],
    ['gate', /^## Gates\n[^]*`mailroom help workflow-reference` \(Gates\)/],
    ['sandbox', /^### Sandbox\n/],
    ['budget', /^## Plan and budgets\n/],
    ['webhook', /^## Webhooks\n/],
    ['cron', /^# Triggers and hooks\n[^]*cron/],
    ['secrets', /^## Secrets\n/],
    ['cost', /^# `costs`\n/],
    ['docker', /^## [^]*docker/i],
    ['git worktrees', /^### Git worktrees\n/],
    ['start', /^`mailroom up` starts the team, /],
  ])('leads from the word %s to what explains it', async (word, text) => {
    const { code, out } = await new ProjectFixture().run('help', word);
    expect(code).toBe(0);
    expect(out).toMatch(text);
    expect(out.match(/`mailroom help /g)?.length ?? 0).toBeLessThanOrEqual(9);
  });

  it('knows typing errors of headings, and what is in no page', async () => {
    const fixture = new ProjectFixture();
    expect((await fixture.run('help', 'lnding')).err).toContain('did you mean `landing`?');
    expect((await fixture.run('help', '(')).code).toBe(2);
  });
});
