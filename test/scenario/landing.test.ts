import { afterEach, describe, expect, it } from 'vitest';
import { documentOf } from '../docs/blocks.ts';
import { TerminalSession } from '../support/keyboard.ts';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';
import { Server } from '../support/server.ts';

const team = (lands: string, gates = '') => `
name: landing
version: "1"
workspace: { worktree: role }
roles:
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: [left, right] }
  done: { from: [left, right], to: user, closes: true, lands: ${lands}${gates} }
`;

/** Writes its own file and the one that both write; sent back for a conflict, it takes what landed there. */
const engineer = (own: string) => `
    const { execFileSync } = await import('node:child_process');
    if (prompt.includes('conflicts with')) writeFileSync('both.txt', execFileSync('git', ['show', 'main:both.txt']));
    else if (mail[0]?.includes('both')) writeFileSync('both.txt', '${own}\\n');
    writeFileSync('${own}.txt', '${own}\\n');
    send('done', 'user', 'It is made', 'subject: Add ${own}\\n');`;

let project: TestProject;
let server: Server | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
  project.remove();
});

/** Asks the server: with a body, that it does something. */
async function ask(path: string, body: object | null = null) {
  const place = `/api/v1${path}`;
  const response = await (body === null ? server?.get(place) : server?.post(place, body));
  return { status: response?.status, document: (await response?.json()) as Record<string, unknown> };
}

const git = (...args: string[]) => project.git(...args);

function begin(protocol: string, config = 'trail: off\n'): void {
  project = playProject(
    protocol,
    { left: engineer('left'), right: engineer('right') },
    { '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n', 'kept.txt': 'kept\n' },
  );
  project.drop('mailroom.yaml', project.read('mailroom.yaml').replace('trail: off\n', config));
  project.makeRepository();
}

function task(role: string, text: string): void {
  project.drop(`agents/${role}/inbox/task.md`, `---\ntype: task\n---\n${text}\n`);
}

const up = () => project.run(['up', '--until-idle']);

async function document<T>(...args: string[]): Promise<T> {
  return JSON.parse((await project.run([...args, '--json'])).stdout) as T;
}

it('lands what all have made who were asked, after one of them had failed', async () => {
  project = playProject(
    `
workspace: { worktree: role }
roles:
  lead: { capabilities: [READ] }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: lead }
  part: { from: lead, to: [left, right], reply: built, blocking: thread }
  built: { from: [left, right], to: lead }
  done: { from: lead, to: user, closes: true, lands: main }
`,
    {
      lead: `if (type === 'task') { send('part', 'left'); send('part', 'right'); }
        else send('done', 'user', mail.length + ' of 2 parts');`,
      left: `if (times === 0) process.exit(2); writeFileSync('left.txt', 'left'); send('built', 'lead');`,
      right: `writeFileSync('right.txt', 'right'); send('built', 'lead');`,
    },
    { '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\n' },
  );
  project.makeRepository();
  task('lead', 'Make both');
  expect(await up()).toMatchObject({ code: 1 });
  const { stdout } = await project.run(['why', 'left']);
  const [, command = ''] = /mailroom (retry \w+)/.exec(stdout) ?? [];
  expect(await project.run(command.split(' '))).toMatchObject({ code: 0 });
  expect(await up()).toMatchObject({ code: 0 });
  expect(git('log', '-1', '--format=%s', 'main')).toBe('2 of 2 parts');
  expect(git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
    expect.arrayContaining(['left.txt', 'right.txt']),
  );
});

describe('work that lands', () => {
  it('comes onto the checked out branch, one after the other, and is reported everywhere', async () => {
    begin(team('main'), '');
    task('left', 'Add left');
    task('right', 'Add right');
    const { stdout } = await up();
    expect(stdout).toMatch(/left → user: done — Add left \(…\w{6}\), landed on main as \w{10}\n/);
    expect((await project.run(['trail'])).stdout).toMatch(/ {4}landed on main as \w{10}\n/);
    expect([project.read('left.txt'), project.read('right.txt')]).toEqual(['left\n', 'right\n']);
    expect(git('status', '--porcelain')).toBe('');
    const log = git('log', '--format=%s', 'main').split('\n');
    expect(log).toHaveLength(4);
    expect(log.slice(1).toSorted()).toEqual(['Add left', 'Add right', 'first']);
    const messages =
      await document<{ type: string; landed: { branch: string; commit: string } | null }[]>('trail');
    const landed = messages.flatMap((message) => message.landed ?? []);
    expect(landed.map(({ branch }) => branch)).toEqual(['main', 'main']);
    expect(landed.map(({ commit }) => commit)).toContain(git('rev-parse', 'main'));
    const ids = (await document<{ id: string; type: string; from: string }[]>('trail')).filter(
      ({ type, from }) => type === 'done' && from === 'left',
    );
    const shown = await project.run(['show', ids[0]?.id ?? '', '--diff']);
    expect(shown.stdout).toContain('+++ b/left.txt');
    expect(shown.stdout).not.toContain('right.txt');
    const difference = await document<object>('show', ids[0]?.id ?? '', '--diff');
    expect(difference).toMatchObject({ schema: 1, base: git('rev-list', '--max-parents=0', 'main') });
    expect(git('log', '--format=%(trailers:key=Landed,valueonly)', 'mailroom-trail')).toContain(
      `main ${git('rev-parse', 'main')}`,
    );
  });

  it('is taken back by a command, and `show` names where the branch was', async () => {
    begin(team('main'));
    task('left', 'Add left');
    await up();
    const [before, after] = [git('rev-parse', '--short=10', 'main^'), git('rev-parse', '--short=10', 'main')];
    const [{ id } = { id: '' }] = (await document<{ id: string; type: string }[]>('trail')).filter(
      ({ type }) => type === 'done',
    );
    for (const shown of [id, 't1'])
      expect((await project.run(['show', shown])).stdout).toMatch(
        new RegExp(`^landed +${after} on main, before ${before}$`, 'm'),
      );
    const landed = git('rev-parse', 'main');
    const undone = await document('undo', id);
    const commit = git('rev-parse', 'main');
    expect(undone).toEqual({ schema: 1, undone: [{ branch: 'main', landed, commit }] });
    const shown = { landed: expect.any(String) as string, commit: expect.any(String) as string };
    expect(documentOf('docs/commands/undo.md')).toEqual({
      schema: 1,
      undone: [{ branch: 'main', ...shown }],
    });
    expect(git('diff', '--stat', before, 'main')).toBe('');
    expect(git('status', '--porcelain')).toBe('');
    const again = await project.run(['undo', 'last']);
    expect([again.code, again.stderr]).toEqual([
      1,
      'error E_REFUSED: the landing is not undone: nothing of it is left on `main`\n',
    ]);
    // Its turn is known by the same command.
    expect((await project.run(['undo', 't1'])).stderr).toBe(again.stderr);
  });

  it('goes back to its author when it conflicts, with the reason', async () => {
    begin(team('{ branch: main, by: squash }'));
    task('left', 'Write both');
    task('right', 'Write both');
    await up();
    expect([project.read('left.txt'), project.read('right.txt')]).toEqual(['left\n', 'right\n']);
    const authors = git('log', '--format=%an', 'main').split('\n');
    expect(authors.toSorted()).toEqual(['Ada', 'left', 'right']);
    const turns = await Promise.all(
      ['t1', 't2'].map((turn) => document<{ invocations: object[] }>('show', turn)),
    );
    expect(new Set(turns.map(({ invocations }) => invocations.length))).toEqual(new Set([1, 2]));
  });

  it('is warned of where its branch does not exist', async () => {
    begin(team('release'));
    const { code, stderr } = await project.run(['check']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^protocols\/team\.yaml:10:\d+: warning E_WORKSPACE: `done` lands on `release`, and the repository has no such branch\n/,
    );
  });

  it('waits for a clean checkout, and says so', async () => {
    begin(team('main'));
    project.drop('kept.txt', 'edited\n');
    task('left', 'Add left');
    expect((await up()).stdout).toMatch(
      / the work of left in t1 cannot land on main yet: `main` is checked out/,
    );
    const status = await document<{ landings: { state: string; blocked: string | null }[] }>('status');
    expect(status.landings).toMatchObject([{ branch: 'main', role: 'left', state: 'landing' }]);
    expect(status.landings[0]?.blocked).toContain(
      'with uncommitted changes (`kept.txt`): commit or stash them',
    );
    const why = await document<{ reason: string }>('why', 't1');
    expect(why.reason).toContain(
      'the work of left in turn t1 cannot land on `main`: `main` is checked out in',
    );
    expect((await project.run(['status'])).stdout).toContain('LANDS ON');
    // A person finds it where all that waits for them is.
    expect(await document('inbox')).toMatchObject({
      items: [{ kind: 'blocked', id: 't1', from: 'left', reply_types: [], command: 'mailroom why t1' }],
    });
    const inbox = (await project.run(['inbox'])).stdout;
    expect(inbox).toMatch(/^@1  Add left: \w{10} cannot land on main: `main` is checked out in /);
    expect(inbox).toContain('    mailroom show t1 --diff\n    mailroom why t1\n');
    git('checkout', '-q', 'kept.txt');
    // What was in the way is gone, so this `up` does not end before it has landed.
    expect((await up()).stdout).toMatch(/ done — Add left \(…\w{6}\), landed on main as \w{10}\n/);
    expect(project.read('left.txt')).toBe('left\n');
  });

  it('waits for a person where the branch is protected', async () => {
    begin(team('main'), 'trail: off\nprotected: [main]\n');
    task('left', 'Add left');
    expect((await up()).stdout).toMatch(
      / the work of left in t1 waits for approval: \w{10} is to land on main; `main` is protected\n/,
    );
    const { landings } = await document<{ landings: { commit: string }[] }>('status');
    const changes = landings[0]!.commit.slice(0, 12);
    const command = `mailroom approve t1 --changes ${changes}`;
    expect(await document('inbox')).toMatchObject({
      items: [{ kind: 'approval', id: 't1', changes, command }],
    });
    expect((await project.run(['inbox'])).stdout).toContain(`    mailroom show t1 --diff\n    ${command}\n`);
    expect((await project.run(['status'])).stdout).toContain(`waits for \`${command}\``);
    expect((await project.run(['show', 't1', '--diff'])).stdout).toContain('+++ b/left.txt');
    expect(await document('why', 't1')).toMatchObject({
      code: 'waiting_for_approval',
      command,
    });
    expect((await project.run(['approve'])).code).toBe(0);
    await up();
    expect(project.read('left.txt')).toBe('left\n');
  });

  it('is approved by a key while `up` runs', async () => {
    begin(team('main'), 'trail: off\nprotected: [main]\n');
    task('left', 'Add left');
    const session = new TerminalSession(project, ['up'], { columns: 100 });
    const shows = (text: string) => session.until((lines) => lines.some((line) => line.includes(text)));
    try {
      await shows('the work of left in t1 waits for approval');
      session.press('a');
      await shows('● approve');
      session.press('\r');
      await shows('same as `mailroom approve t1 --changes ');
      await shows('landed on main as');
      expect(project.read('left.txt')).toBe('left\n');
    } finally {
      session.kill();
    }
  });

  it('is shown, given back and approved over HTTP', async () => {
    begin(team('main'), 'trail: off\nprotected: [main]\n');
    task('left', 'Add left');
    await up();
    server = await Server.start(project);
    const { document: difference } = await ask('/turns/t1/diff');
    expect(difference).toMatchObject({ schema: 1, base: git('rev-parse', 'main') });
    expect(difference['patch']).toContain('+++ b/left.txt');
    expect(difference['text']).toBe('It is made\n');
    expect(difference).toEqual(await document('show', 't1', '--diff'));

    const waiting = async () => {
      const { document: shown } = await ask('/inbox');
      return (shown['items'] as readonly { readonly changes: string | null }[])[0]!.changes;
    };
    const rejected = await ask('/turns/t1/reject', {
      comment: 'Name it otherwise.',
      changes: await waiting(),
    });
    expect(rejected).toMatchObject({ status: 202, document: { verb: 'reject', state: 'recorded' } });
    await up();
    const { invocations } = await document<{ invocations: { prompt: string }[] }>('show', 't1');
    expect(project.read(invocations[1]?.prompt ?? '')).toContain('Name it otherwise.');

    for (const changes of ['earlier', await waiting()])
      expect(await ask('/turns/t1/approve', { changes })).toMatchObject({ status: 202 });
    await up();
    expect(project.read('left.txt')).toBe('left\n');
    expect(await ask('/turns/t1/diff')).toMatchObject({ status: 404, document: { code: 'E_TARGET' } });
    const { document: inbox } = await ask('/inbox');
    const items = inbox['items'] as readonly { readonly id: string; readonly subject: string }[];
    const refused = items.filter(({ subject }) => subject === 'Refused: approve t1');
    expect(refused).toHaveLength(1);
    const done = items.find(({ subject }) => subject === 'Add left');
    const sent = await ask(`/messages/${done?.id ?? ''}/diff`);
    expect(sent).toMatchObject({ status: 200, document: { patch: difference['patch'] } });
  });

  it('is checked again on what the branch will have', async () => {
    begin(team('main', `, gates: [{ run: [sh, -c, 'test ! -e left.txt || test ! -e right.txt'] }]`));
    task('left', 'Add left');
    task('right', 'Add right');
    await up();
    expect(git('log', '--format=%s', 'main').split('\n')).toHaveLength(2);
    const status = await document<{ threads: { state: string; reason: { text: string } | null }[] }>(
      'status',
    );
    expect(status.threads.map(({ state }) => state).toSorted()).toEqual(['closed', 'quiet']);
    const failed = git('log', '-1', '--format=%an', 'main') === 'left' ? 'right' : 'left';
    expect(await document('why', failed)).toMatchObject({ code: 'failed' });
    expect((await project.run(['why', failed])).stdout).toContain('this was found on the merge with `main`');
  });
});
