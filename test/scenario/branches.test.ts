import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

/** A project on the branch main, with a workflow of these keys and steps. */
function projectOf(keys: string, steps: string): { place: TestProject; git: (...words: string[]) => void } {
  const text = `name: sample\nversion: '1'\ntimeout: 5m\n${keys}\nsteps:\n${steps}\n`;
  const place = (project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': text }));
  const git = (...words: string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: place.root });
  git('init', '-q', '-b', 'main', '.');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return { place, git };
}

const make = '  make: { command: [touch, made] }';

describe('`branch` of a workflow', () => {
  it.each([
    ['branch: { protected: [main] }', 'the workspace is on the branch `main`, which is protected by `main`'],
    ["branch: { expected: 'work/*' }", 'the workspace is on the branch `main`, and must be on `work/*`'],
    ['create_branch: false', 'which is protected by `main`, `master`, `release/*`'],
    ['expected_work_branch: release/v1', '`git switch release/v1`'],
  ])('starts no run on another one: %s', async (keys, message) => {
    const { place } = projectOf(keys, make);
    const { code, stderr } = await place.run(['run', 'work.yaml']);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(existsSync(join(place.root, '.mailroom/runs'))).toBe(false);
  });

  it('starts no step once the branch has changed, and continues on the right one', async () => {
    const leave = '  leave: { command: [git, switch, -q, main] }\n';
    const { place, git } = projectOf(
      'branch: { protected: main }',
      `${leave}${make.replace('{', '{ depends_on: [leave],')}`,
    );
    git('switch', '-q', '-c', 'topic');
    const { code, stdout } = await place.run(['run', 'work.yaml', '--json']);
    const { run, steps } = JSON.parse(stdout) as { run: string; steps: Record<string, object> };
    expect(code).toBe(1);
    expect(steps['make']).toMatchObject({ status: 'FAILED', error_code: 'E_BRANCH' });
    expect(existsSync(join(place.root, 'made'))).toBe(false);
    git('switch', '-q', 'topic');
    expect((await place.run(['resume', run])).code).toBe(0);
    expect(existsSync(join(place.root, 'made'))).toBe(true);
  });

  it.each([
    ['branch: { protected: [main], after: go }', 'work/one', 0],
    ['create_branch: true\nbranch_transition_step: go', 'work/one', 0],
    ['create_branch: true\nbranch_transition_step: go', 'release/one', 1],
  ])('holds from the end of the step that switches it: %s to %s', async (keys, name, code) => {
    const go = `  first: { command: ['true'] }\n  go: { depends_on: [first], command: [git, switch, -q, -c, ${name}] }\n`;
    const { place } = projectOf(keys, `${go}${make.replace('{', '{ depends_on: [go],')}`);
    expect((await place.run(['run', 'work.yaml'])).code).toBe(code);
    expect(existsSync(join(place.root, 'made'))).toBe(code === 0);
  });

  it('runs nothing where there is no branch', async () => {
    const { place, git } = projectOf('branch: { protected: [main] }', make);
    git('switch', '-q', '--detach');
    expect((await place.run(['run', 'work.yaml'])).stderr).toContain('no branch is checked out');
  });
});
