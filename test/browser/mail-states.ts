import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import type { BrowserFixture } from './browser-fixture.ts';

/* A project with mail in every state that a person acts on. */

const protocol = `
name: states
version: "1"
workspace: { worktree: role, on_conflict: user }
roles:
  lead: { provider: human }
  engineer: { capabilities: [READ, EDIT] }
  writer: { capabilities: [READ] }
  clumsy: { capabilities: [READ], retries: 0 }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  merger: { capabilities: [READ, EDIT] }
  slow: { capabilities: [READ] }
  reporter: { capabilities: [READ] }
messages:
  task: { from: user, to: [engineer, writer, clumsy, left, right, slow, reporter] }
  piece: { from: [left, right], to: merger }
  question:
    from: [writer, reporter]
    to: user
    reply: [answer]
    blocking: thread
    timeout: 4h
    on_timeout: fail
  answer:
    from: user
    to: [writer, reporter]
    fields:
      days: { type: integer, default: 3, description: How long to keep the data }
  urgent:
    from: reporter
    to: lead
    reply: [verdict]
    blocking: thread
    timeout: 1s
    on_timeout: escalate
    escalate_to: user
  verdict: { from: [lead, user], to: reporter }
  report: { from: reporter, to: user }
  done: { from: [engineer, writer, reporter], to: user, closes: true }
  landed: { from: engineer, to: user, closes: true, lands: main }
start: { type: task, to: engineer }
`;

/** What an agent does by the words of its task; all of them know the same words. */
const play = `export async function play({ role, send, prompt, type, project, until, writeFileSync }) {
  console.log('I have read the message.');
  if (type === 'answer' || type === 'verdict') return send('done', 'user', 'It is made', 'subject: Finished\\n');
  if (prompt.includes('LAND')) {
    writeFileSync('totals.txt', 'EUR\\n');
    return send('landed', 'user', 'It is made', 'subject: Add totals\\n');
  }
  if (prompt.includes('CLASH')) {
    writeFileSync('totals.txt', role + '\\n');
    return send('piece', 'merger', 'My piece of it');
  }
  if (prompt.includes('ASK')) return send('question', 'user', prompt.includes('LONG') ? 'Words of no weight. '.repeat(190000) : 'Disk or memory? I would take **memory**.', 'subject: Which store should the cache use?\\n');
  if (prompt.includes('URGENT')) return send('urgent', 'lead', 'It is down.', 'subject: May I restart it?\\n');
  if (prompt.includes('FAIL')) { console.error('TypeError: totals is not a function'); process.exit(3); }
  if (prompt.includes('SLOW')) return until(project + '/go');
  if (prompt.includes('REPORT'))
    for (let each = 1; each <= 10; each += 1) send('report', 'user', 'Part ' + each, 'subject: "Progress: part ' + each + '"\\n');
}
`;

const release = `
name: release
version: "1"
timeout: 1h
steps:
  ship-it:
    gate:
      message: To how many users?
      timeout: 24h
      on_timeout: reject
      fields:
        percent: { type: integer, default: 10, description: Share of the users }
        reason: { type: string, required: true }
`;

const roles = ['engineer', 'writer', 'clumsy', 'left', 'right', 'merger', 'slow', 'reporter'];

/** The files of the project, for a fixture. */
export const statesFiles: Readonly<Record<string, string>> = {
  'mailroom.yaml':
    'providers: { play: { command: [node, play/run.mjs] } }\n' +
    'defaults: { provider: play, retries: 0 }\ntrail: off\nprotected: [main]\n',
  'protocols/team.yaml': protocol,
  'workflows/release.yaml': release,
  '.gitignore': '.mailroom/\nagents/\n.drop/\n*.log\ngo\n',
  ...Object.fromEntries(roles.map((role) => [`play/${role}.mjs`, play])),
};

/** What a person sees of the inbox. */
interface Waiting {
  readonly items: readonly { readonly kind: string; readonly subject: string; readonly type: string }[];
}

/** Tasks by the role that gets them: subject and text. */
export const tasks = {
  questions: [
    ['writer', 'Cache of the shop', 'ASK'],
    ['writer', 'Cache of the blog', 'ASK'],
  ],
  escalated: [['reporter', 'Server is down', 'URGENT']],
  landing: [['engineer', 'Totals in euros', 'LAND']],
  failed: [['clumsy', 'Totals that fail', 'FAIL']],
  slow: [['slow', 'A slow one', 'SLOW']],
  conflict: [['left,right', 'Both change totals', 'CLASH']],
  notices: [['reporter', 'Ten reports', 'REPORT']],
  long: [['writer', 'A long question', 'ASK LONG']],
} as const;

/** Sends these tasks, and starts the controller if it does not work yet. */
export async function sendTasks(
  { project }: BrowserFixture,
  ...kinds: readonly (keyof typeof tasks)[]
): Promise<void> {
  for (const [to, subject, text] of kinds.flatMap((kind) => [...tasks[kind]]))
    await project.run(['send', to, '--subject', subject, '--message', text]);
}

/** The project as a repository, which its work lands in. */
export function makeRepository({ project: { root } }: BrowserFixture): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '-qb', 'main');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'first');
}

/** Waits until the inbox has so many items of a kind or type. */
export async function untilWaiting({ project }: BrowserFixture, what: string, count: number): Promise<void> {
  const found = async () => {
    const { stdout } = await project.run(['inbox', '--json']);
    const { items } = JSON.parse(stdout) as Waiting;
    return items.filter(({ kind, type }) => kind === what || type === what).length;
  };
  await expect.poll(found, { timeout: 30_000 }).toBe(count);
}
