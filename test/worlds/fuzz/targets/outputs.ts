import { readdirSync } from 'node:fs';
import fc from '../../../support/fast-check.ts';
import { agents, exit, fixture, invocation, now, program } from '../../../providers/samples.ts';
import { FuzzedMail } from '../fuzzed-mail.ts';
import { isMap } from '../oracle.ts';
import { bounded, corpusFiles, Finding, type Target } from '../target.ts';
import type { Exit, Outcome } from '../../../../src/providers/provider.ts';

/*
 * What a program of each kind wrote, cut, doubled, shuffled and mixed with garbage: always an outcome that can be
 * recorded, never a success that the program did not report, and a host that takes it goes on.
 */

interface Case {
  readonly agent: string;
  readonly exit: Exit;
}

/** The line by which each program says that all went well, as its documentation has it. */
const successes: Readonly<Record<string, (event: Record<string, unknown>) => boolean>> = {
  claude: ({ type, subtype, is_error: bad }) => type === 'result' && subtype === 'success' && bad === false,
  codex: ({ type }) => type === 'turn.completed',
  gemini: ({ type, status }) => type === 'result' && status === 'success',
  opencode: ({ type, part }) => type === 'step_finish' && isMap(part) && part['reason'] === 'stop',
};

function reports(stdout: string, agent: string): boolean {
  const success = successes[agent];
  if (success === undefined) return true;
  return stdout.split('\n').some((line) => {
    try {
      const event: unknown = JSON.parse(line);
      return isMap(event) && success(event);
    } catch {
      return false;
    }
  });
}

const known = (value: number | null): boolean => value === null || (Number.isFinite(value) && value >= 0);

function check(outcome: Outcome, { agent, exit: ended }: Case): void {
  const finding = (what: string): Finding => new Finding(`${agent}: ${what}`, ended);
  if (!known(outcome.usage.usd) || !known(outcome.usage.tokens)) throw finding('its use is not a number');
  if (outcome.is !== 'done') {
    if (outcome.reason.text === '') throw finding('it has no reason');
    if (outcome.reason.text.length > 1_000) throw finding('its reason is too long');
    if (outcome.is === 'later' && outcome.until !== null && !(outcome.until >= now))
      throw finding('it is to come back in the past');
    return;
  }
  if (ended.code !== 0 || ended.ended !== 'exited' || ended.signal !== null)
    throw finding('done, though it did not end well');
  if (!reports(ended.stdout, agent)) throw finding('done, though it did not say so');
}

/** Reads the output as the provider does, and gives it to a host whose agent it is. */
function tryOutput(one: Case): void {
  const provider = agents.find(({ name }) => name === one.agent)?.provider ?? program;
  const outcome = provider.read(one.exit, invocation(), now);
  check(outcome, one);
  const mail = new FuzzedMail();
  mail.disk.plant('agents/maker/inbox/task.md', 'Do it\n');
  mail.settle();
  const [key] = mail.begun();
  if (key === undefined) throw new Error('no turn began');
  mail.end(key, outcome, one.exit);
  mail.settle();
  if (mail.host.problem !== null) throw new Finding(mail.host.problem, one.exit);
  const state = mail.open().state;
  const [turn] = state.turns.values();
  if (turn?.phase.is === 'returned') throw new Finding('the turn is left without a verdict', one.exit);
}

const recorded = agents.flatMap(({ name }) =>
  readdirSync(new URL(`../../../fixtures/providers/${name}/`, import.meta.url)).map((file) => ({
    agent: name,
    exit: fixture(name, file.replace('.json', '')),
  })),
);
const own: Case[] = [...corpusFiles('output')].map(([, bytes]) => ({
  agent: program.name,
  exit: exit({ stdout: bytes.toString('utf8'), stderr: '' }),
}));
const cases = [...recorded, ...own];

type Change =
  | { readonly is: 'cut' | 'drop' | 'double'; readonly line: number; readonly at: number }
  | { readonly is: 'put'; readonly line: number; readonly text: string }
  | { readonly is: 'replace'; readonly line: number; readonly at: number; readonly text: string }
  | { readonly is: 'swap'; readonly line: number; readonly other: number };

/** Lines, changed. */
function changeLines(lines: readonly string[], change: Change): string[] {
  if (lines.length === 0) return [];
  const index = change.line % lines.length;
  const line = lines[index] ?? '';
  switch (change.is) {
    case 'cut':
      return [...lines.slice(0, index), line.slice(0, Math.floor(change.at * line.length))];
    case 'drop':
      return lines.toSpliced(index, 1);
    case 'double':
      return lines.toSpliced(index, 0, line);
    case 'put':
      return lines.toSpliced(index, 0, change.text);
    case 'replace': {
      const at = Math.floor(change.at * line.length);
      return lines.with(index, line.slice(0, at) + change.text + line.slice(at + change.text.length));
    }
    case 'swap':
      return lines.with(index, lines[change.other % lines.length] ?? '');
    default:
      return change satisfies never;
  }
}

const garbage = fc.oneof(
  fc.constantFrom(
    '{',
    '}',
    '"',
    ',',
    ':',
    '[]',
    'null',
    '-1',
    '1e999',
    '\\u0000',
    '\u001b[2J',
    'true',
    '{}',
    '\r',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue().map((value) => JSON.stringify({ type: 'result', result: value })),
);
const line = fc.nat({ max: 40 });
const at = fc.double({ min: 0, max: 1, noNaN: true });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ is: fc.constantFrom('cut', 'drop', 'double'), line, at }),
  fc.record({ is: fc.constant('put'), line, text: garbage }),
  fc.record({ is: fc.constant('replace'), line, at, text: garbage }),
  fc.record({ is: fc.constant('swap'), line, other: line }),
);
/** Mostly as recorded; now and then it ended otherwise. */
const ends: fc.Arbitrary<Partial<Exit>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.constantFrom<Partial<Exit>>(
    { code: 1 },
    { code: null, signal: 'SIGTERM' },
    { ended: 'total-timeout' },
    { ended: 'output-limit' },
    { ended: 'idle-timeout', signal: 'SIGKILL', code: null },
  ),
);

export const outputs: Target = {
  name: 'outputs',
  everyday: 50,
  property: fc.property(
    fc.constantFrom(...cases),
    fc.array(change, { minLength: 1, maxLength: 4 }),
    ends,
    (one, changes, end) => {
      const stdout = changes.reduce(changeLines, one.exit.stdout.split('\n')).join('\n');
      bounded(() => tryOutput({ agent: one.agent, exit: { ...one.exit, ...end, stdout } }));
    },
  ),
  corpus: [...corpusFiles('output').keys()].map((name, index) => ({
    name,
    run: () => bounded(() => tryOutput(own[index] ?? { agent: program.name, exit: exit() })),
  })),
};
