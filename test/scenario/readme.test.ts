import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { follow } from '../support/followed-page.ts';
import { TestProject, type Ran } from '../support/project.ts';

it('the commands of README.md can be followed from the first to the last', async () => {
  const { code, output } = await follow('README.md');
  expect(output).toMatch(/ok: 4 roles, /);
  expect(output).toMatch(/qa → user: delivered — /);
  expect(output).toMatch(/idle: done/);
  expect(output).toMatch(/first-look +SUCCEEDED/);
  expect(code).toBe(0);
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

it('why a role rests is asked as README.md says, and a second engineer is added as `check` says', async () => {
  const project = new TestProject({});
  try {
    expect((await project.run(['init'])).code).toBe(0);
    const [why = ''] = /(?<=^mailroom )why \w+/m.exec(readme) ?? [];
    expect(await project.run(why.split(' '))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^architect has no mail\./) as string,
    });
    expect(readme).toContain('[two engineers at once](docs/recipes/teams.md#two-engineers-at-once)');
    const protocol = 'protocols/feature-team.yaml';
    const edit = (from: RegExp, to: string): Promise<Ran> => {
      const text = project.read(protocol);
      expect(text).toMatch(from);
      project.write(protocol, text.replace(from, to));
      return project.run(['check', '--no-explore']);
    };
    const alone = await edit(
      /(?=^ {2}qa:\n {4}capabilities)/m,
      '  second: { capabilities: [EDIT], budget: { usd: 3 } }\n',
    );
    expect(alone.stderr).toContain('warning E_PROTOCOL: nothing can wake `second`');
    expect(alone.stderr).toContain('name `second` under `to` of a message type');
    const mute = await edit(/(?<=from: \[architect\]\n {4}to: \[)(?=engineer\])/, 'second, ');
    expect(mute).toMatchObject({ code: 0 });
    expect(mute.stderr).toContain(
      'warning E_PROTOCOL: `second` gets messages like `engineer`, and can send none',
    );
    expect(mute.stderr).toContain('name `second` under `from` of `review-request`');
    const unanswered = await edit(/(?<=review-request:\n {4}from: \[)/, 'second, ');
    expect(unanswered.code).toBe(2);
    expect(unanswered.stderr).toContain(
      'hint: let one of `review-feedback`, `delivered` go from `qa` to `second`',
    );
    const whole = await edit(/(?<=review-feedback:\n {4}from: \[qa\]\n {4}to: \[)/, 'second, ');
    expect(whole).toMatchObject({ code: 0, stderr: '' });
  } finally {
    project.remove();
  }
});
