import { v7 } from 'uuid';
import { apply } from '../src/mail/machine/apply.ts';
import type { MailEvent, TurnResult } from '../src/mail/machine/event.ts';
import { emptyState } from '../src/mail/machine/state.ts';
import { timed, type Line } from './report.ts';

const count = 20_000;

const done: TurnResult = {
  text: 'Done',
  staged: [],
  finalText: null,
  stepResult: null,
  reports: [],
  violations: [],
  usage: { usd: 0, tokens: 0 },
  session: null,
  model: null,
  exit: 0,
  durationMs: 5,
};

/** What the protocol says about a message that asks and answers nothing. */
const plain = {
  request: null,
  answers: null,
  late: false,
  closes: false,
  joins: [],
  people: [],
  opens: null,
} as const;

/** A journal of threads that each take one turn. */
function events(): MailEvent[] {
  const made: MailEvent[] = [];
  for (let index = 1; index <= count / 5; index += 1) {
    const id = v7();
    const at = 1_700_000_000_000 + index;
    const message = {
      id,
      type: 'task',
      from: 'user',
      to: ['a'],
      thread: id,
      inReplyTo: null,
      subject: 'Task',
      created: at,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
      body: 'Words of a task. '.repeat(20),
    };
    const key = { turn: `t${String(index)}`, attempt: 1, round: 0, v: 1, at } as const;
    made.push({ type: 'accepted', sent: { message, ...plain }, v: 1, at });
    made.push({
      type: 'claimed',
      role: 'a',
      thread: id,
      priority: 'mail',
      messages: [id],
      wait: null,
      provider: 'p',
      retries: 2,
      corrections: 2,
      nesting: 0,
      mustAnswer: false,
      budget: null,
      holds: null,
      v: 1,
      at,
    });
    made.push({
      type: 'launched',
      process: { pid: 1, startTime: '1', mark: 'm' },
      tree: null,
      entered: null,
      ...key,
    });
    made.push({
      type: 'returned',
      result: done,
      ...key,
    });
    made.push({ type: 'committed', turn: key.turn, sent: [], v: 1, at });
    made.push({ type: 'projected', through: index * 6 - 1, v: 1, at });
  }
  return made;
}

export function folding(): Line[] {
  const made = events();
  const lines = made.map((event) => JSON.stringify(event));
  const parse = () => lines.map((line) => JSON.parse(line) as MailEvent);
  // The better of several, for both: others use the machine as well.
  const runs = Array.from({ length: 5 }, () => {
    const parsed = timed(parse);
    return { parsed: parsed.elapsed, folded: timed(() => parsed.value.reduce(apply, emptyState())).elapsed };
  });
  const parsed = Math.min(...runs.map((run) => run.parsed));
  const folded = Math.min(...runs.map((run) => run.folded));
  const ratio = folded / parsed;
  return [
    {
      what: `folding ${String(made.length)} records`,
      seen: `${folded.toFixed(0)} ms`,
      ratio: `${ratio.toFixed(2)} × JSON.parse of the same lines (${parsed.toFixed(0)} ms)`,
      budget: '≤ 3 ×',
      met: ratio <= 3,
    },
  ];
}
