import { RealDisk } from '../../src/disk/real-disk.ts';
import { park } from '../../src/host/parked.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { CliProject } from '../support/clis.ts';

const projects: CliProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

const settings = 'trail: off\ndefaults: { provider: claude }\n';

function projectWith(
  clis: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = { 'protocols/team.yaml': team, 'work.yaml': workflow },
): CliProject {
  const project = new CliProject({ 'mailroom.yaml': settings, ...files }, clis);
  projects.push(project);
  return project;
}

/** The same in git, by which is known what a turn changed. */
function checkoutWith(...of: Parameters<typeof projectWith>): CliProject {
  const project = projectWith(...of);
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  return project;
}

const team = `
name: one
version: "1"
roles:
  reviewer: { provider: codex }
messages:
  task: { from: user, to: reviewer }
  done: { from: reviewer, to: user, closes: true }
`;

const workflow = `name: sample
version: "1"
timeout: 5m
secrets: [DEPLOY_TOKEN]
steps:
  each:
    for_each:
      items: [one, two]
      as: word
      steps:
        write:
          worker: CLAUDE_CODE
          capabilities: [EDIT]
          instructions: "Write \${{ item }}."
          outputs: [{ name: text, path: "out/\${{ item }}.txt", required: true }]
          values: { length: { type: integer } }
  review:
    depends_on: [each]
    role: reviewer
    instructions: Review it.
`;

const claude = `
const { mkdirSync } = require('node:fs');
const word = /Write (\\w+)\\./.exec(prompt)[1];
mkdirSync('out', { recursive: true });
writeFileSync('out/' + word + '.txt', 'the word ' + word + ', not sesame-open');
writeFileSync(env.MAILROOM_VALUES, JSON.stringify({ length: word.length }));
claude('wrote ' + word);`;

it('a run is recorded with its secrets left out, and played again without any agent', async () => {
  const secret = { DEPLOY_TOKEN: 'sesame-open' };
  const live = projectWith({ claude, codex: `codex('It is good.');` });
  const recording = join(live.root, 'recording');
  const first = await live.run(['run', 'work.yaml', '--json', '--record', recording], secret);
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `the recording lacks what agents change in ${live.root}: it is not a git working tree\n`,
    ),
  });
  const recorded = live.list('recording').filter((name) => name.endsWith('.json'));
  expect(recorded.filter((name) => name.startsWith('write-'))).toHaveLength(2);
  expect(recorded.filter((name) => name.startsWith('reviewer-'))).toHaveLength(1);
  const texts = recorded.map((name) => live.read(`recording/${name}`)).join('\n');
  expect(texts).toContain('the word one, not');
  expect(texts).not.toContain('sesame-open');
  expect(texts).not.toContain(live.root);

  const dead = projectWith({ claude: 'process.exit(2)', codex: 'process.exit(2)' });
  const again = await dead.run(['run', 'work.yaml', '--json', '--replay', recording], secret);
  expect(again).toMatchObject({ code: 0 });
  expect(dead.read('out/two.txt')).toContain('the word two');
  interface Document {
    readonly steps: Readonly<Record<string, { readonly status: string; readonly values: unknown }>>;
    readonly cost: object;
  }
  const [one, two] = [first, again].map(({ stdout }) => JSON.parse(stdout) as Document);
  const told = (document: Document | undefined) =>
    Object.entries(document?.steps ?? {}).map(([step, { status, values }]) => [step, status, values]);
  expect(told(two)).toEqual(told(one));
  expect(two?.cost).toEqual(one?.cost);
});

const pair = `
name: pair
version: "1"
roles:
  writer: { provider: claude, capabilities: [READ, EDIT] }
  reviewer: { provider: codex, capabilities: [READ] }
messages:
  task: { from: user, to: writer }
  review: { from: writer, to: reviewer, reply: [verdict], blocking: true }
  verdict: { from: reviewer, to: writer }
  done: { from: writer, to: user, closes: true, gates: [{ run: [grep, two, site/page.html] }] }
start: { type: task, to: writer }
`;

const players = {
  claude: `
const { mkdirSync } = require('node:fs');
mkdirSync('site', { recursive: true });
appendFileSync('site/page.html', existsSync('site/page.html') ? 'two of ' + env.MAILROOM_THREAD : 'one, ' + env.ANTHROPIC_API_KEY + ', ');
if (prompt.includes('type: verdict')) send('done', 'user', 'The key is ' + env.ANTHROPIC_API_KEY + ', thread ' + env.MAILROOM_THREAD);
else send('review', 'reviewer', 'Look at ' + env.MAILROOM_PROJECT);
claude('ended');`,
  codex: `codex('Good.'); send('verdict', 'writer', 'Good.');`,
};

it('a thread is recorded with its secrets left out, and played again without any agent', async () => {
  const files = { 'protocols/pair.yaml': pair, 'agents/writer/inbox/task.md': '# Write\n\nA page.\n' };
  const live = checkoutWith(players, files);
  const recording = join(live.root, 'recording');
  // Settings of agents in a home folder within the project would be changes of the project.
  const home = mkdtempSync(join(tmpdir(), 'mailroom-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { ANTHROPIC_API_KEY: 'sesame-open', HOME: home };
  const up = ['up', '--until-idle', '--plain'];
  expect(await live.run([...up, '--record', recording], env)).toMatchObject({ code: 0, stderr: '' });
  const texts = live.list('recording').map((name) => live.read(`recording/${name}`));
  expect(texts).toHaveLength(3);
  expect(texts.join('\n')).toContain('The key is');
  for (const secret of ['sesame-open', live.root]) expect(texts.join('\n')).not.toContain(secret);

  const nobody = { claude: 'process.exit(2)', codex: 'process.exit(2)' };
  const dead = checkoutWith(nobody, files);
  // A limit of the real provider is none of the recording's.
  const later = Date.now() + 3_600_000;
  park(new RealDisk(dead.root), 'claude', later);
  const again = await dead.run([...up, '--replay', recording]);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  const rows = async (of: CliProject) => {
    const told = JSON.parse((await of.run(['trail', '--json'])).stdout) as Row[];
    return told.map(({ type, from, to, body }) => [type, from, to, body.replaceAll(of.root, 'ROOT')]);
  };
  const [first, second] = [await rows(live), await rows(dead)];
  expect(second.map(([type]) => type)).toEqual(['task', 'review', 'verdict', 'done']);
  expect(second.slice(0, 3)).toEqual(first.slice(0, 3));
  // The gate has seen what the turns changed; a workspace that they do not fit is left alone.
  expect(dead.read('site/page.html')).toMatch(/^one, \*\*\*, two of [\w-]{36}$/);
  const other = checkoutWith(nobody, { ...files, 'site/page.html': 'of somebody else' });
  const misfit = await other.run([...up, '--replay', recording]);
  expect(misfit.stdout).toContain('site/page.html is not what it was when this turn was recorded');
  expect(other.read('site/page.html')).toBe('of somebody else');

  const nothing = await dead.run([...up, '--replay', 'nowhere']);
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`there is no recording in ${dead.root}/nowhere`),
  });
});

interface Row {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}
