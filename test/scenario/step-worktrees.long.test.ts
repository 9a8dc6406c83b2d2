import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);

/** A repository with one commit and a workflow of these steps. */
function begin(steps: string): void {
  const workflow = `name: parallel\nversion: '1'\ntimeout: 5m\nsteps:\n${steps}`;
  project = new TestProject({
    'mailroom.yaml': '{}\n',
    'workflows/parallel.yaml': workflow,
    '.gitignore': '.mailroom/\ncontext/\n.drop/\n',
    'kept.txt': 'kept\n',
  });
  project.makeRepository();
}

interface Step {
  readonly status: string;
  readonly reason: string | null;
  readonly error_code: string | null;
  readonly attempts: number;
  readonly commit: { readonly id: string; readonly branch: string; readonly worktree: string | null } | null;
}

interface Shown {
  readonly run: string;
  readonly status: string;
  readonly warnings: readonly string[];
  readonly steps: Readonly<Record<string, Step>>;
}

/** Runs the workflow, or resumes its run. */
async function play(...args: string[]): Promise<Shown> {
  const ran = await project.run([...(args.length === 0 ? ['run', 'parallel'] : args), '--json']);
  expect(ran).toMatchObject({ stdout: expect.stringContaining('"steps"') });
  return JSON.parse(ran.stdout) as Shown;
}

const shell = (script: string) => `command: [bash, -ec, '${script}']`;
const own = 'workspace: { worktree: step }';

describe('steps with git worktrees of their own', () => {
  it('commit and land their work, and nothing that they were given', async () => {
    begin(`
  plan: { ${shell('echo plan > plan.md')}, outputs: [{ name: plan, path: plan.md, required: true }] }
  implement:
    depends_on: [plan]
    inputs: [{ from: plan, artifact: plan, as: plan.md }, { from: plan, artifact: plan, as: ./kept.txt.d/ }]
    ${shell('test -f plan.md/plan.md; echo work > work.txt; echo more >> plan.md/plan.md; test -e again || { touch again; exit 1; }')}
    on_failure: retry
    max_retries: 1
    retry: { base: 1ms }
    ${own}
  publish: { depends_on: [implement], land: main }
`);
    git('config', 'status.showUntrackedFiles', 'all');
    const { run, status, steps } = await play();
    expect([status, steps['implement']?.attempts]).toEqual(['SUCCEEDED', 2]);
    expect(project.read('plan.md')).toBe('plan\n');
    const tree = (name: string) => git('ls-tree', '-r', '--name-only', name).split('\n');
    expect(tree('main')).toEqual(expect.arrayContaining(['again', 'kept.txt', 'work.txt']));
    expect(tree('main').filter((path) => path.startsWith('plan') || path.includes('.d/'))).toEqual([]);
    const [worktree] = JSON.parse((await project.run(['worktree', '--json'])).stdout) as object[];
    expect(worktree).toMatchObject({ uncommitted: 0, unmerged: 0 });
    const removed = await project.run(['worktree', 'remove', run, '--role', 'implement']);
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(tree(steps['implement']?.commit?.branch ?? '')).toEqual(tree('main'));
    const undone = await project.run(['undo', run]);
    expect(undone.stdout).toMatch(/^\w{10} is undone on main, by \w{10}\n$/);
    expect(tree('main')).not.toContain('work.txt');
  });

  it('work at the same time, and a merge has the work of both', async () => {
    begin(`
  left: { ${shell('echo left > left.txt')}, ${own} }
  right: { ${shell('echo right > right.txt')}, ${own} }
  both: { merge: [left, right] }
  look:
    depends_on: [both]
    ${shell('cat left.txt right.txt; git log -1 --format=%H; echo "$1 $2 $3"').replace(
      "']",
      "', look, '${{ steps.both.commit }}', '${{ steps.both.branch }}', '${{ steps.both.worktree }}']",
    )}
    ${own}
`);
    const { run, status, steps } = await play();
    expect(status).toBe('SUCCEEDED');
    const [left, right, both, look] = ['left', 'right', 'both', 'look'].map((id) => steps[id]?.commit);
    expect(left).toEqual({
      id: git('rev-parse', `mailroom/${run}/left`),
      branch: `mailroom/${run}/left`,
      worktree: `.mailroom/worktrees/${run}.left`,
    });
    expect(git('log', '-1', '--format=%P', both?.id ?? '')).toBe(`${left?.id ?? ''} ${right?.id ?? ''}`);
    expect(git('log', '-1', '--format=%an <%ae> %s', left?.id ?? '')).toBe('left <left@mailroom> Step left');
    expect(look?.id).toBe(both?.id);
    const printed = project.read(`.mailroom/runs/${run}/steps/look/1.1/stdout`);
    expect(printed).toBe(
      `left\nright\n${both?.id ?? ''}\n${both?.id ?? ''} mailroom/${run}/both .mailroom/worktrees/${run}.both\n`,
    );
    expect([git('status', '--porcelain'), git('branch', '--show-current')]).toEqual(['', 'main']);
    expect(JSON.parse(project.read('context/left/_meta.json'))).toMatchObject({ commit: left });
  });

  it('fail a merge that conflicts, which a person may resolve', async () => {
    begin(`
  left: { ${shell('echo left > kept.txt')}, ${own} }
  right: { ${shell('echo right > kept.txt')}, ${own} }
  both: { merge: [left, right] }
`);
    const { run, status, steps } = await play();
    expect([status, steps['both']?.error_code]).toEqual(['FAILED', 'E_CONFLICT']);
    expect(steps['both']?.reason).toContain('conflicts with that of left');
    const still = await play('resume', run);
    expect(still.steps['both']?.reason).toContain('`kept.txt` has conflict markers');
    project.write(`.mailroom/worktrees/${run}.both/kept.txt`, 'both\n');
    const resumed = await play('resume', run);
    expect([resumed.status, resumed.steps['both']?.reason]).toEqual(['SUCCEEDED', null]);
    const merged = resumed.steps['both']?.commit?.id ?? '';
    expect(git('log', '-1', '--format=%an', merged)).toBe('user');
    expect(git('show', `${merged}:kept.txt`)).toBe('both');
  });

  it('have conflicts resolved by the worker of the merge', async () => {
    begin(`
  left: { ${shell('echo left > kept.txt')}, ${own} }
  right: { ${shell('echo right > kept.txt')}, ${own} }
  third: { ${shell('echo third > kept.txt')}, ${own} }
  both:
    merge: [left, right, third]
    on_conflict: resolve
    max_retries: 0
    ${shell('grep -q "<<<<<<<" kept.txt; grep -v "[<=>|]" kept.txt > sides; mv sides kept.txt')}
  same: { merge: [left, both], on_conflict: resolve, ${shell('exit 1')} }
`);
    const { status, steps } = await play();
    expect([status, steps['both']?.reason]).toEqual(['SUCCEEDED', null]);
    expect(git('show', `${steps['both']?.commit?.id ?? ''}:kept.txt`)).toBe('left\nright\nthird');
    expect(steps['both']?.attempts).toBe(2);
    expect(steps['same']?.commit?.id).toBe(steps['both']?.commit?.id);
  });

  it('keep the conflict as long as its worker leaves markers', async () => {
    begin(`
  left: { ${shell('echo left > kept.txt')}, ${own} }
  right: { ${shell('echo right > kept.txt')}, ${own} }
  both: { merge: [left, right], on_conflict: resolve, ${shell('echo nothing')} }
`);
    const { status, steps } = await play();
    expect([status, steps['both']?.error_code, steps['both']?.attempts]).toEqual(['FAILED', 'E_CONFLICT', 2]);
    expect(steps['both']?.reason).toContain('`kept.txt` has conflict markers');
  });

  it('land on a branch as one commit, and on none that is protected', async () => {
    const steps = (branch: string) => `
  left: { ${shell('echo left > left.txt')}, ${own} }
  land: { land: { branch: ${branch}, by: squash }, depends_on: [left] }
`;
    begin(steps('main'));
    project.write('mailroom.yaml', 'protected: [release]\n');
    git('commit', '-qam', 'protect');
    const { status, steps: shown } = await play();
    expect([status, shown['land']?.reason]).toEqual(['SUCCEEDED', null]);
    expect(git('log', '--format=%s', 'main')).toBe('Land the step left\nprotect\nfirst');
    expect([project.read('left.txt'), git('status', '--porcelain')]).toEqual(['left\n', '']);
    expect(shown['land']?.commit).toEqual({ id: git('rev-parse', 'main'), branch: 'main', worktree: null });
    git('branch', 'release');
    const text = project.read('workflows/parallel.yaml');
    project.write('workflows/parallel.yaml', text.replace('branch: main', 'branch: release'));
    const refused = await play();
    expect([refused.status, refused.steps['land']?.error_code]).toEqual(['FAILED', 'E_BRANCH']);
    expect(git('rev-parse', 'release')).toBe(git('rev-parse', 'main'));
  });

  it('land after a conflict once a person has merged their work into the branch', async () => {
    const moves = 'echo main > kept.txt; git -C "$MAILROOM_PROJECT" commit -qam meanwhile';
    begin(`
  left: { ${shell('echo left > kept.txt')}, ${own} }
  meanwhile: { ${shell(moves)}, depends_on: [left] }
  land: { land: main, depends_on: [left, meanwhile] }
`);
    const { run, steps } = await play();
    expect(steps['land']).toMatchObject({ status: 'FAILED', error_code: 'E_CONFLICT' });
    const reason = steps['land']?.reason ?? '';
    const [, commit = ''] = /on `main` run `git merge ([0-9a-f]{12})`, resolve it/.exec(reason) ?? [];
    expect(() => git('merge', commit)).toThrow('Command failed');
    project.write('kept.txt', 'left and main\n');
    git('commit', '-qam', 'resolved');
    const resumed = await play('resume', run);
    expect([resumed.status, resumed.steps['land']?.commit?.id]).toEqual([
      'SUCCEEDED',
      git('rev-parse', 'main'),
    ]);
  });

  it('have nothing that lands where they were skipped', async () => {
    begin(`
  left: { when: 'false', ${shell('echo left > left.txt')}, ${own} }
  land: { land: main, depends_on: [left] }
  after: { depends_on: [land], ${shell('echo "$0"').replace("']", "', '${{ default(steps.land.commit, ''none'') }}']")} }
`);
    const { run, status, steps } = await play();
    expect([status, steps['land']?.status, steps['land']?.commit]).toEqual(['SUCCEEDED', 'SUCCEEDED', null]);
    expect(project.read(`.mailroom/runs/${run}/steps/after/1.1/stdout`)).toBe('none\n');
    expect(git('log', '--format=%s', 'main')).toBe('first');
    const { warnings } = await play('show', run);
    expect(warnings).toEqual(['land: nothing landed on `main`: the steps before it have left no work']);
  });

  it('are one for each item of a loop', async () => {
    begin(`
  each:
    for_each:
      items: [a, b]
      concurrency: 2
      isolation: worktree
      steps:
        write: { ${shell('echo "$0" > "$0.txt"').replace("']", "', '${{ item }}']")} }
        more: { depends_on: [write], ${shell('cat "$0.txt" "$0.txt" > more-"$0"').replace("']", "', '${{ item }}']")} }
  all: { merge: [each] }
`);
    const { run, status, steps } = await play();
    expect([status, steps['all']?.reason]).toEqual(['SUCCEEDED', null]);
    expect(git('ls-tree', '--name-only', steps['all']?.commit?.id ?? '').split('\n')).toEqual(
      expect.arrayContaining(['a.txt', 'b.txt', 'more-a', 'more-b']),
    );
    expect(git('log', '--format=%s', `mailroom/${run}/each+1`).split('\n')).toEqual([
      'Step each/1/more',
      'Step each/1/write',
      'first',
    ]);
  });
});
