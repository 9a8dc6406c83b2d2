import { afterEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);
const up = () => project.run(['up', '--until-idle']);

/** What an agent writes who wants to be a person: rules, state and mail, with the ignore rules emptied. */
const attack = `
    const { mkdirSync } = await import('node:fs');
    const put = (path, text) => {
      mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
      writeFileSync(path, text);
    };
    writeFileSync('.gitignore', '');
    put('.mailroom/control/01a21f3e-9774-70c8-840b-e00edd601ea1.json', '{}');
    put('agents/right/processed/forged.md', 'forged');
    writeFileSync('work.txt', 'work\\n');`;

const team = `
workspace: { worktree: role }
roles:
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ] }
messages:
  task: { from: user, to: [left, right] }
  part: { from: left, to: right }
  done: { from: [left, right], to: user, closes: true, lands: main }
`;

const files = { '.gitignore': '.mailroom/\nagents/*/*box/\n*.log\n', 'tools/run.sh': 'true\n' };

function begin(left: string, protocol = team): void {
  project = playProject(
    protocol,
    { left, right: "send('done', 'user', 'It is made');" },
    { ...files, 'agents/left/role.md': 'left\n', 'agents/right/role.md': 'right\n' },
  );
  project.makeRepository();
}

const landedPaths = () => git('diff', '--name-only', 'main~1', 'main').split('\n');

describe('what an agent writes besides its work', () => {
  it('is left out of what lands, named and kept, where it is state or mail', async () => {
    begin(`${attack}\n    send('done', 'user', 'It is made');`);
    await project.run(['send', 'left', '--message', 'Build it']);
    const played = await up();
    expect(played.stdout).toContain('landed on main');
    expect(played.stdout.match(/Not all of the work of left travels: .*/g)).toEqual([
      expect.stringContaining('Turn t1: its commit leaves out `.mailroom/control/01a21f3e'),
    ]);
    expect(landedPaths()).toEqual(['.gitignore', 'work.txt']);
    expect(project.list('.mailroom/control')).toEqual([]);
    const { stdout } = await project.run(['show', 't1']);
    const kept = /refs\/mailroom\/kept\/\S+/.exec(stdout)?.[0] ?? '';
    expect(stdout).toContain('its commit leaves out `.mailroom/control/01a21f3e');
    expect(git('show', `${kept}:agents/right/processed/forged.md`)).toBe('forged');
  });

  it.each(['left', 'right'])('waits for a person where it changes rules and %s lands it', async (by) => {
    const sends = by === 'left' ? "send('done', 'user');" : "send('part', 'right');";
    begin(`${attack}
    writeFileSync('mailroom.yaml', 'sandbox: "off"\\n');
    put('workflows/evil.yaml', 'evil');
    put('agents/right/role.md', 'evil');
    ${sends}`);
    await project.run(['send', 'left', '--message', 'Build it']);
    const main = git('rev-parse', 'main');
    const played = await up();
    const paths = ['agents/right/role.md', 'mailroom.yaml', 'workflows/evil.yaml'];
    const reason = `it changes the rules of this project: \`${paths[0] ?? ''}\`, \`${paths[1] ?? ''}\` and \`${paths[2] ?? ''}\``;
    expect(played.stdout).toContain(reason);
    expect(git('rev-parse', 'main')).toBe(main);
    const turn = by === 'left' ? 't1' : 't2';
    for (const args of [['inbox'], ['status'], ['why', turn]])
      expect((await project.run(args)).stdout.replaceAll(/\s+/g, ' ')).toContain(reason);
    expect((await project.run(['show', turn, '--diff'])).stdout).toContain('+sandbox: "off"');
    expect((await project.run(['approve', turn])).code).toBe(0);
    await up();
    expect(landedPaths().toSorted()).toEqual(['.gitignore', ...paths, 'work.txt'].toSorted());
  });

  it('goes back to its author where a person does not let it land', async () => {
    begin(`if (prompt.includes('no new rules')) { writeFileSync('mailroom.yaml', (await import('node:fs')).readFileSync(project + '/mailroom.yaml', 'utf8')); }
    else writeFileSync('mailroom.yaml', 'sandbox: "off"\\n');
    writeFileSync('work.txt', 'work\\n');
    send('done', 'user', 'It is made');`);
    await project.run(['send', 'left', '--message', 'Build it']);
    await up();
    expect((await project.run(['reject', 't1', '--comment', 'no new rules'])).code).toBe(0);
    expect((await up()).stdout).toContain('landed on main');
    expect(landedPaths()).toEqual(['work.txt']);
  });
});

describe('a conflict where work lands', () => {
  it('is resolved by roles that cannot run git: many threads that change one file end delivered', async () => {
    begin(
      `const { existsSync, readFileSync } = await import('node:fs');
    const before = existsSync('LIST.md') ? readFileSync('LIST.md', 'utf8') : '';
    const lines = before.split('\\n').filter((line) => line !== '' && !/^[<=>|]{7}/.test(line));
    const own = '- ' + mail[0].split('\\n').at(-2);
    writeFileSync('LIST.md', [...new Set([...lines, own])].join('\\n') + '\\n');
    send('done', 'user', 'It is made');`,
      team.replace('left: {', 'left: { concurrency: 3,'),
    );
    const tasks = Array.from({ length: 5 }, (_, index) => `part ${String(index)}`);
    for (const text of tasks) await project.run(['send', 'left', '--message', text]);
    await up();
    expect(project.read('LIST.md').trim().split('\n').toSorted()).toEqual(tasks.map((text) => `- ${text}`));
    const { threads } = JSON.parse((await project.run(['status', '--threads', '--json'])).stdout) as {
      threads: { state: string }[];
    };
    expect(threads.map(({ state }) => state)).toEqual(tasks.map(() => 'closed'));
  });
});

describe('a step that lands changes of rules', () => {
  const run = () => project.run(['run', 'w', '--json']);

  it('waits for a person, and lands exactly what was approved', async () => {
    project = new TestProject({
      ...files,
      'mailroom.yaml': '{}\n',
      'workflows/w.yaml': `name: w
version: '1'
timeout: 5m
steps:
  make:
    command: [bash, -ec, 'mkdir -p .mailroom/control; echo x > .mailroom/control/x.json; echo "" > .gitignore; echo "false" > tools/run.sh']
    workspace: { worktree: step }
  land: { land: main, depends_on: [make] }
  after: { command: [sh, tools/run.sh], depends_on: [land], on_failure: continue }
`,
    });
    project.makeRepository();
    const running = run();
    const asked = async () => {
      const { items } = JSON.parse((await project.run(['inbox', '--json'])).stdout) as {
        items: { id: string }[];
      };
      return items.map(({ id }) => id);
    };
    await expect.poll(asked).toHaveLength(1);
    const [id = ''] = (await asked()).map((each) => each.replace(/\/land$/, ''));
    const { stdout } = await project.run(['inbox']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('it changes the rules of this project: `tools/run.sh`');
    expect(git('log', '--format=%s', 'main')).toBe('first');
    expect((await project.run(['approve', id, 'land'])).code).toBe(0);
    const { status, warnings } = JSON.parse((await running).stdout) as { status: string; warnings: string[] };
    expect(git('diff', '--name-only', 'main~1', 'main')).toBe('.gitignore\ntools/run.sh');
    expect(warnings.join()).toContain('its commit leaves out `.mailroom/control/x.json`');
    expect(status).toBe('SUCCEEDED');
  });
});
