import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

/* A commit of somebody else holds files of `.mailroom/`, and git places them while `up` runs. */

const team = `
name: landing
version: "1"
workspace: { worktree: role }
roles:
  left: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: left }
  done: { from: left, to: user, closes: true, lands: main }
`;

let project: TestProject;
beforeEach(() => {
  project = playProject(
    team,
    { left: `writeFileSync('left.txt', 'left\\n'); send('done', 'user');` },
    { '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n' },
  );
  const config = project.read('mailroom.yaml');
  project.drop('mailroom.yaml', `${config}protected: [main]\n`);
  project.makeRepository();
});
afterEach(() => project.remove());

/** Merges a commit with these files, as a pull does. */
function pull(files: Readonly<Record<string, string>>): void {
  const clone = join(project.root, '.git', 'clone');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=E', '-c', 'user.email=e@example.org', ...args]);
  project.git('clone', '-q', project.root, clone);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }
  git('add', '--force', '-A');
  git('commit', '-qm', 'Innocent');
  project.git('pull', '-q', '--ff-only', clone, 'main');
}

/** Starts `up` with work that waits for a person. `stop` ends it: nothing has landed. */
async function waiting() {
  project.drop('agents/left/inbox/task.md', '---\ntype: task\n---\nWork\n');
  const up = project.start(['up']);
  const ended = finished(up);
  await said(up, 'waits for approval');
  const stop = async () => {
    up.kill('SIGTERM');
    await ended;
    expect(existsSync(join(project.root, 'left.txt'))).toBe(false);
  };
  return { up, stop };
}

/** What is read at a start alone, or only shown. */
const placed = {
  '.mailroom/boot': 'another\n',
  '.mailroom/channels/github.json': '{}\n',
  '.mailroom/queued/thread.t1.1.0.one@left': '',
  '.mailroom/queued-steps/run.step.1.0.one@+agents': '',
  '.mailroom/triggers/a.json': '{}\n',
  '.mailroom/workers.json': '{"since":0,"workers":[]}\n',
  '.mailroom/lock.json': JSON.stringify({ pid: 1, host: 'there', since: 0 }),
  '.mailroom/locks/a.json': JSON.stringify({ pid: 1, host: 'there', since: 0 }),
};

const id = '01a21f3e-9774-70c8-840b-e00edd601ea1';
const approval = {
  id,
  at: 1_795_820_525_457,
  verb: 'approve',
  target: { kind: 'turn', turn: 't1' },
  now: false,
  by: 'user',
  comment: null,
};

it('approve nothing, are named, and the person still decides once they are gone', async () => {
  const { up, stop } = await waiting();
  const refused = said(up, `Refused: .mailroom/control/${id}.json`);
  pull({ ...placed, [`.mailroom/control/${id}.json`]: JSON.stringify(approval) });
  await refused;
  const reason = project.read(`.mailroom/refused/${id}.json.reason.txt`);
  expect(reason).toBe('it was not written by Mailroom on this machine: it has no seal\n');
  expect(JSON.parse((await project.run(['why', 't1', '--json'])).stdout)).toMatchObject({
    code: 'waiting_for_approval',
  });
  await stop();
  expect((await project.run(['up', '--until-idle'])).stderr).toContain('E_TRACKED');
  project.git('reset', '-q', '--hard', 'HEAD~1');
  expect(await project.run(['approve', 't1'])).toMatchObject({ code: 0 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.read('left.txt')).toBe('left\n');
});

it('cannot replace the key: the command of a person is refused with what to do, the one of a stranger, too', async () => {
  const { up, stop } = await waiting();
  pull({ '.mailroom/api/seal.key': `${'ab'.repeat(32)}\n` });
  expect(await project.run(['approve', 't1'])).toMatchObject({
    code: 1,
    stderr:
      'error E_FILE: .mailroom/api/seal.key can be read or written by others\nhint: move it away, and a new one is made\n',
  });
  // Nothing is approved with a key that a stranger knows, whoever trusts it.
  execFileSync('chmod', ['600', join(project.root, '.mailroom/api/seal.key')]);
  const refused = said(up, 'Refused: .mailroom/control/');
  const asked = project.run(['approve', 't1']);
  await refused;
  await asked;
  const [name = ''] = project.list('.mailroom/refused').filter((each) => each.endsWith('.reason.txt'));
  expect(project.read(`.mailroom/refused/${name}`)).toContain('restart Mailroom, then repeat the command');
  await stop();
});

it('is not in the way of git: the folder of the state ignores itself', async () => {
  project.write('.gitignore', 'agents/\n.drop/\n*.log\n');
  project.git('commit', '-qam', 'Ignore less');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.git('status', '--porcelain')).toBe('');
  project.git('add', '-A');
  expect(project.git('status', '--porcelain')).toBe('');
});
