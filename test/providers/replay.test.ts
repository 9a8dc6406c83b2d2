import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from '../support/fast-check.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInProviders, namedProvider } from '../../src/providers/index.ts';
import { keyOf, recordOf } from '../../src/providers/recording.ts';
import { exit, invocation, now, environment } from './samples.ts';
import type { CommandLine, Exit, Invocation, Outcome, Provider } from '../../src/providers/provider.ts';

const root = mkdtempSync(join(tmpdir(), 'mailroom-replay-'));
afterAll(() => rmSync(root, { recursive: true }));

const replayAgent = fileURLToPath(new URL('../../bin/replay-agent.mjs', import.meta.url));
const replay = builtInProviders({ ...environment, replayAgent }).get('replay') as Provider;

/** A project with one turn in it; the words of the mail are the same in each, ids, dates and folders are not. */
interface World {
  readonly name: string;
  readonly thread: string;
  readonly request: string;
  readonly created: string;
  readonly earlier: string;
}

const monday: World = {
  name: 'monday',
  thread: '019a0000-0000-7000-8000-00000000000a',
  request: '019a0000-0000-7000-8000-00000000000b',
  created: '2026-11-23T08:00:00.000Z',
  earlier: '019a0000-0000-7000-8000-00000000000c',
};
const tuesday: World = {
  name: 'tuesday',
  thread: '019b1111-0000-7000-8000-00000000000a',
  request: '019b1111-0000-7000-8000-00000000000b',
  created: '2026-11-24T09:30:00.000Z',
  earlier: '019b1111-0000-7000-8000-00000000000c',
};

function mail(world: World, body = 'Please review src/parser.ts.'): string {
  return `---
id: ${world.request}
type: review-request
from: engineer
to: qa
thread: ${world.thread}
in_reply_to: ${world.earlier}
subject: Review of the parser
mailroom_ref: "${world.request.slice(0, 4)}"
created: ${world.created}
fields:
  level: 2
---
${body} See ${join(root, world.name)}/agents and 20261123T080000000Z-design-${world.request}.md, and ${world.earlier} of ${world.created}.
`;
}

function turnIn(world: World, text: string, changes: Partial<Invocation> = {}): Invocation {
  const project = join(root, world.name);
  const turn = changes.turn ?? 't7';
  const folder = join(project, '.mailroom/turns', turn, String(changes.attempt ?? 1));
  const outbox = join(folder, 'outbox');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(outbox, { recursive: true });
  const message = join(folder, 'message.md');
  writeFileSync(message, text);
  return invocation({
    role: 'qa',
    thread: world.thread,
    project,
    workspace: project,
    prompt: `Thread ${world.thread}, begun by ${world.earlier} and 019c0000-0000-7000-8000-00000000000${world.name.length}.`,
    paths: { ...invocation().paths, folder, outbox, messages: [message] },
    ...changes,
  });
}

/** Runs a command line to its end. */
function run(command: CommandLine, variables: Record<string, string> = {}): Exit {
  const [program = '', ...rest] = command.argv;
  const child = spawnSync(program, rest, {
    input: command.stdin,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...variables, ...command.env },
  });
  return exit({ code: child.status, signal: child.signal, stdout: child.stdout, stderr: child.stderr });
}

function staged(turn: Invocation): { name: string; text: string }[] {
  return readdirSync(turn.paths.outbox).map((name) => ({
    name,
    text: readFileSync(join(turn.paths.outbox, name), 'utf8'),
  }));
}

/** An agent that answers with a file and a text full of ids, dates and paths. */
const agent = join(root, 'agent.mjs');
writeFileSync(
  agent,
  `import { readFileSync, writeFileSync } from 'node:fs';
const message = readFileSync(process.env.MAILROOM_MESSAGES, 'utf8');
const head = (key) => new RegExp('^' + key + ': (.*)$', 'm').exec(message)[1];
writeFileSync(process.env.MAILROOM_OUTBOX + '/feedback.md', \`---
type: review-feedback
thread: \${process.env.MAILROOM_THREAD}
in_reply_to: \${head('id')}
fields: { verdict: approved }
---
Good, {{thread}} and all; asked at \${head('created')} in \${process.env.MAILROOM_PROJECT}, from \${process.env.MAILROOM_OUTBOX}, after \${head('in_reply_to')}.
\`);
process.stdout.write('Seen in ' + process.env.MAILROOM_WORKSPACE + ': ' + readFileSync(0, 'utf8'));
process.stderr.write('usage: {"usd": 0.25, "tokens": 1000}');
`,
);

const scripted = namedProvider(
  {
    name: 'scripted',
    kind: 'command',
    command: [process.execPath, agent],
    arguments: [],
    env: [],
    writable: [],
    tests: null,
    prices: null,
  },
  environment,
);

/** Runs a turn with the scripted agent and keeps it in a folder. */
function record(
  folder: string,
  turn: Invocation,
): { outcome: Outcome; files: { name: string; text: string }[] } {
  const ended = run(scripted.start(turn));
  const outcome = scripted.read(ended, turn, now);
  const files = staged(turn);
  keep(folder, turn, outcome, files, ended);
  return { outcome, files };
}

function keep(
  folder: string,
  turn: Invocation,
  outcome: Outcome,
  files: { name: string; text: string }[] = [],
  ended = exit(),
): void {
  const messages = turn.paths.messages.map((path) => ({
    name: 'message.md',
    text: readFileSync(path, 'utf8'),
  }));
  const contents = files.map(({ name, text }) => ({ name, content: { ok: true as const, text } }));
  const { name, json } = recordOf(turn, messages, ended, contents, outcome);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), json);
}

function answer(folder: string, turn: Invocation): Outcome {
  return replay.read(run(replay.start(turn), { MAILROOM_RECORDING: folder }), turn, now);
}

const done = (text: string): Outcome => ({
  is: 'done',
  text,
  session: null,
  usage: { usd: null, tokens: null },
  model: null,
  denials: [],
});

describe('a recording', () => {
  it('answers the same turn in another project on another day, with the ids of that day', () => {
    const folder = join(root, 'recording');
    const { outcome } = record(folder, turnIn(monday, mail(monday)));
    expect(outcome).toMatchObject({ is: 'done', usage: { usd: 0.25, tokens: 1000 } });

    const turn = turnIn(tuesday, mail(tuesday), { turn: 't31' });
    const expected = record(join(root, 'other'), turnIn(tuesday, mail(tuesday), { turn: 't31' }));
    rmSync(join(turn.paths.outbox, 'feedback.md'));
    expect(answer(folder, turn)).toEqual(expected.outcome);
    expect(staged(turn)).toEqual(expected.files);
    expect(staged(turn)[0]?.text).toContain(`in_reply_to: ${tuesday.request}\n`);
    expect(staged(turn)[0]?.text).toContain('Good, {{thread}} and all');
  });

  it('holds no id, date or path of the day when it was made', () => {
    const folder = join(root, 'nameless');
    record(folder, turnIn(monday, mail(monday)));
    const [name = ''] = readdirSync(folder);
    const text = readFileSync(join(folder, name), 'utf8');
    expect(name).toMatch(/^qa-[0-9a-f]{12}-t7-a1-r0\.json$/);
    expect(text).not.toMatch(/019[a-c]|2026|mailroom-replay/);
    expect(JSON.parse(text)).toMatchObject({
      outcome: 'done',
      exit: 0,
      usage: { usd: 0.25, tokens: 1000 },
      text: 'Seen in {{project}}: Thread {{thread}}, begun by {{message.1.in_reply_to}} and {{prompt.1}}.',
    });
  });

  it.each<[string, Outcome]>([
    [
      'a failure',
      {
        is: 'later',
        class: 'RETRYABLE_TRANSIENT',
        reason: { code: 'E_PROVIDER', text: 'busy' },
        until: null,
        usage: { usd: 1, tokens: null },
        session: null,
      },
    ],
    [
      'a timeout',
      {
        is: 'later',
        class: 'RETRYABLE_TRANSIENT',
        reason: { code: 'E_TIMEOUT', text: 'slow' },
        until: null,
        usage: { usd: null, tokens: 5 },
        session: null,
      },
    ],
    [
      'a limit, without the wait',
      {
        is: 'later',
        class: 'RETRYABLE_RATE_LIMIT',
        reason: { code: 'E_PROVIDER', text: 'full' },
        until: now,
        usage: { usd: 0, tokens: 0 },
        session: null,
      },
    ],
    [
      'an end',
      {
        is: 'never',
        reason: { code: 'E_TURN', text: 'no' },
        usage: { usd: null, tokens: null },
        session: null,
      },
    ],
  ])('repeats %s', (what, outcome) => {
    const folder = join(root, what);
    keep(folder, turnIn(monday, mail(monday)), outcome);
    const again = answer(folder, turnIn(tuesday, mail(tuesday)));
    if (outcome.is === 'done' || again.is === 'done') throw new Error('a failure is no success');
    expect(again).toEqual({ ...outcome, reason: { ...outcome.reason, text: again.reason.text } });
    expect(again.reason.text).toMatch(new RegExp(`: ${outcome.reason.text}$`));
  });

  it('tells attempts, rounds and equal turns apart, and takes the nearest where there is none', () => {
    const folder = join(root, 'many');
    const at = (turn: string, attempt: number, round: number): Partial<Invocation> => ({
      turn,
      attempt,
      round,
    });
    const known = [
      at('t2', 1, 0),
      at('t2', 2, 0),
      at('t2', 2, 1),
      at('t9', 1, 0),
      at('t20', 1, 0),
      at('t20', 4, 0),
    ];
    for (const place of known) keep(folder, turnIn(monday, mail(monday), place), done(JSON.stringify(place)));
    for (const place of known) {
      expect(answer(folder, turnIn(tuesday, mail(tuesday), place))).toMatchObject({
        text: JSON.stringify(place),
      });
    }
    for (const [asked, taken] of [
      [at('t3', 1, 0), known[0]],
      [at('t8', 1, 0), known[3]],
      [at('t2', 3, 1), known[2]],
      [at('t9', 4, 2), known[3]],
      [at('t20', 3, 0), known[4]],
    ] as const) {
      expect(answer(folder, turnIn(tuesday, mail(tuesday), asked))).toMatchObject({
        text: JSON.stringify(taken),
      });
    }
  });

  it('does not answer other words, another role, or without a folder', () => {
    const folder = join(root, 'strict');
    keep(folder, turnIn(monday, mail(monday)), done('Yes.'));
    for (const [text, changes] of [
      [mail(tuesday, 'Please review nothing.'), {}],
      [mail(tuesday).replace('level: 2', 'level: 3'), {}],
      [mail(tuesday), { role: 'engineer' }],
    ] as const) {
      const turn = turnIn(tuesday, text, changes);
      expect(answer(folder, turn)).toMatchObject({
        is: 'never',
        reason: { text: expect.stringContaining(`has no recording of ${turn.role} for this mail`) },
      });
    }
    const turn = turnIn(tuesday, mail(tuesday));
    expect(replay.read(run(replay.start(turn)), turn, now)).toMatchObject({
      is: 'never',
      reason: { text: expect.stringContaining('MAILROOM_RECORDING is not set') },
    });
    expect(answer(join(root, 'nowhere'), turn)).toMatchObject({ is: 'never' });
  });

  it('stays inside the staging folder, whatever names were recorded', () => {
    const folder = join(root, 'names');
    const turn = turnIn(monday, mail(monday));
    keep(folder, turn, done(''), [{ name: '../../escaped.md', text: 'x' }]);
    const again = turnIn(tuesday, mail(tuesday));
    answer(folder, again);
    expect(staged(again)).toEqual([{ name: 'escaped.md', text: 'x' }]);
  });

  it('gives any text back as it was', () => {
    const awkward = fc.constantFrom(
      '{{',
      '}}',
      '{{thread}}',
      '{{braces}}',
      '$&',
      monday.thread,
      monday.created,
      '\\',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(awkward, fc.string({ unit: 'binary' })), { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        const folder = mkdtempSync(join(root, 'text-'));
        const turn = turnIn(monday, mail(monday));
        keep(folder, turn, done(text));
        expect(answer(folder, turn)).toMatchObject({ is: 'done', text });
      }),
      { numRuns: 8 },
    );
  });

  it('leaves out staged files that could not be read', () => {
    const turn = turnIn(monday, mail(monday));
    const files = [{ name: 'a.md', content: { ok: false as const, problem: 'a socket' } }];
    expect(JSON.parse(recordOf(turn, [], exit(), files, done('')).json)).toMatchObject({ files: [] });
  });
});

describe('the key of a turn', () => {
  const place = { project: '/p', workspace: '/p/.mailroom/worktrees/x' };
  const key = (...texts: string[]): string =>
    keyOf(
      texts.map((text) => ({ name: 'm.md', text })),
      place,
    );

  it('does not depend on ids, dates, folders, recipients, unknown keys and line ends', () => {
    const one = key(mail(monday).replaceAll(join(root, 'monday'), '/p'));
    const other = key(mail(tuesday).replaceAll(join(root, 'tuesday'), place.workspace));
    expect(one).toBe(other);
    expect(key(mail(monday).replaceAll('\n', '\r\n'))).toBe(key(mail(monday)));
    expect(key(mail(monday).replace('fields:', 'reference: 0afe7b3e7072\nfields:'))).toBe(key(mail(monday)));
    expect(key(mail(monday).replace('to: qa', 'to:\n  - qa\n  - engineer'))).toBe(key(mail(monday)));
  });

  it('depends on type, sender, subject, fields, prose, and the order of messages', () => {
    const base = mail(monday);
    const others = [
      base.replace('review-request', 'question'),
      base.replace('from: engineer', 'from: architect'),
      base.replace('Review of', 'Look at'),
      base.replace('level: 2', 'level: 1'),
      base.replace('Please', 'Do'),
      'Prose alone.',
    ];
    const keys = [key(base), key(base, 'x'), key('x', base), key(), ...others.map((text) => key(text))];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
