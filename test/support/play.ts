import { TestProject } from './project.ts';

/** A word of agents: resolves when a file is there, which the system announces. For Node's `fs` and `path`. */
export const untilThere = `(path) => new Promise((resolve) => {
  const watcher = fs.watch(dirname(path), () => look());
  const look = () => {
    if (!fs.existsSync(path)) return;
    watcher.close();
    resolve();
  };
  look();
})`;

/** Runs what the test wrote for the role: `play/<role>.mjs`, with a few words to say things in one line. */
const runner = `
import fs, { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
const until = ${untilThere};
const { MAILROOM_ROLE: role, MAILROOM_OUTBOX: outbox, MAILROOM_PROJECT: project, MAILROOM_TURN: turn } = process.env;
const paths = (process.env.MAILROOM_MESSAGES ?? '').split('\\n').filter(Boolean);
const prompt = readFileSync(0, 'utf8');
const mail = paths.map((path) => readFileSync(path, 'utf8'));
const type = /^type: (\\S+)$/m.exec(mail[0] ?? '')?.[1];
const log = project + '/' + role + '.log';
const times = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n').length : 0;
appendFileSync(log, turn + ' ' + process.env.MAILROOM_ATTEMPT + ' ' + process.env.MAILROOM_ROUND + ' ' + (type ?? '-') + '\\n');
let files = 0;
const send = (type, to, text = 'Words', more = '') =>
  writeFileSync(outbox + '/' + String((files += 1)) + '.md', '---\\ntype: ' + type + '\\nto: ' + to + '\\n' + more + '---\\n' + text + '\\n');
const { play } = await import(project + '/play/' + role + '.mjs');
await play({ role, outbox, project, prompt, mail, type, times, send, until, writeFileSync });
`;

/** The body of a role's play: what the agent does in a turn. See the names in `runner`. */
export type Plays = Readonly<Record<string, string>>;

/** A project whose agents do what the test says. */
export function playProject(
  protocol: string,
  plays: Plays,
  more: Readonly<Record<string, string>> = {},
): TestProject {
  const files = Object.entries(plays).map(([role, body]) => [
    `play/${role}.mjs`,
    `export async function play({ role, outbox, project, prompt, mail, type, times, send, until, writeFileSync }) {\n${body}\n}\n`,
  ]);
  return new TestProject({
    'mailroom.yaml':
      'providers: { play: { command: [node, play/run.mjs] } }\ndefaults: { provider: play, retries: 2 }\ntrail: off\n',
    'protocols/team.yaml': protocol,
    'play/run.mjs': runner,
    ...Object.fromEntries(files),
    ...more,
  });
}

/** Three roles: a maker asks a checker, and people can be asked. */
export const smallTeam = `
name: small
version: "1"
roles:
  maker: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  review: { from: maker, to: checker, reply: [verdict], blocking: true }
  verdict: { from: checker, to: maker, fields: { good: { type: boolean, required: true } } }
  question: { from: [maker, checker], to: user, reply: [answer], blocking: true }
  answer: { from: user, to: [maker, checker] }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;
