import fc from '../../support/fast-check.ts';
import type { Command, MailEvent, Sent } from '../../../src/mail/machine/event.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import type { Target } from '../../../src/letters/target.ts';
import { askedCommand } from './texts.ts';

/** Few names, so that nonsense often speaks of what is there. */
const role = fc.constantFrom('one', 'two', 'three', 'user', 'ghost');
const id = fc.constantFrom('go', 'go2', 'ask0', 'ask02', 'say0', 'note', 'key', 'notice', 'x', 'y', 'z');
const turn = fc.constantFrom('t1', 't2', 't3', 't4', 't9');
const type = fc.constantFrom('go', 'ask0', 'say0', 'note', 'key', 'report', 'done', 'notice', 'nonsense');
const small = fc.integer({ min: 0, max: 3 });
const time = fc.integer({ min: -1, max: 2_000_000_000_000 });
const reason = fc.constant({ code: 'E_TURN', text: 'nonsense' } as const);
const usage = fc.record({ usd: fc.option(small, { nil: null }), tokens: fc.option(small, { nil: null }) });
const process = fc.constant({ pid: 1, startTime: '1', mark: 'm' });
const ask = fc.record({ request: id, recipient: role });

const message: fc.Arbitrary<Message> = fc.record({
  id,
  type,
  from: role,
  to: fc.array(role, { maxLength: 3 }),
  thread: id,
  inReplyTo: fc.option(id, { nil: null }),
  subject: fc.constant('s'),
  created: time,
  work: fc.constant(null),
  attachments: fc.constant([]),
  fields: fc.constant({}),
  extra: fc.constant({}),
  body: fc.constant(''),
});

const request = fc.record({
  replies: fc.array(type, { maxLength: 2 }),
  blocks: fc.constantFrom('role', 'thread', 'none'),
  deadline: fc.option(time, { nil: null }),
  onTimeout: fc.constantFrom('escalate', 'proceed', 'fail'),
  escalateTo: role,
});

const sent: fc.Arbitrary<Sent> = fc.record({
  message,
  request: fc.option(request, { nil: null }),
  answers: fc.option(ask, { nil: null }),
  late: fc.boolean(),
  closes: fc.boolean(),
  joins: fc.array(role, { maxLength: 2 }),
  people: fc.array(role, { maxLength: 2 }),
  opens: fc.option(fc.record({ parent: id, budget: fc.constant(null) }), { nil: null }),
});

const staged = fc.record({
  id,
  created: time,
  name: fc.constant('a.md'),
  draft: fc.constant(null),
  problem: fc.constant('torn'),
  text: fc.constant('text'),
});

const session = fc.constantFrom(null, { id: 's', usd: 0, tokens: 0 });

const result = fc.record({
  text: fc.constantFrom('', 'words'),
  staged: fc.array(staged, { maxLength: 2 }),
  stepResult: fc.constant(null),
  reports: fc.constant([]),
  finalText: fc.constant(null),
  violations: fc.constant([]),
  usage,
  session,
  model: fc.constant(null),
  exit: fc.constant(0),
  durationMs: small,
});

const target: fc.Arbitrary<Target> = fc.oneof(
  fc.record({ kind: fc.constant('all' as const) }),
  fc.record({ kind: fc.constant('role' as const), role }),
  fc.record({ kind: fc.constant('thread' as const), thread: id }),
  fc.record({ kind: fc.constant('turn' as const), turn }),
);

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ verb: fc.constantFrom('pause' as const, 'unpause' as const), target, now: fc.boolean() }),
  fc.record({ verb: fc.constant('cancel' as const), target }),
  fc.record({ verb: fc.constant('retry' as const), message, role }),
);

const notices = fc.array(message, { maxLength: 1 });
const at = { turn, attempt: small, round: small };
const claim = {
  role,
  thread: id,
  priority: fc.constantFrom('replies', 'request', 'mail'),
  messages: fc.array(id, { maxLength: 3 }),
  wait: fc.constantFrom(null, null, 'w1', 'w2', 'w3'),
  provider: fc.constant('agent'),
  retries: small,
  corrections: small,
  nesting: small,
  mustAnswer: fc.boolean(),
  budget: fc.constantFrom(null, { usd: 1, tokens: null }),
  holds: fc.constantFrom(null, '.'),
};

const lands = fc.record({
  branch: fc.constantFrom('main', 'next'),
  by: fc.constantFrom('merge', 'squash'),
  approval: fc.boolean(),
});

/** What each event carries besides its type; the compiler sees to it that none is left out. */
const happenings: Record<MailEvent['type'], Record<string, fc.Arbitrary<unknown>>> = {
  started: { version: fc.constant('1'), protocol: fc.constantFrom('', 'a', 'b') },
  accepted: { sent },
  refused: {
    id,
    role,
    box: fc.constant('inbox'),
    name: fc.constant('a'),
    text: fc.constant(''),
    reason,
    notices,
  },
  claimed: claim,
  launched: { ...at, process, tree: fc.constantFrom(null, 'tree') },
  assigned: { ...at, worker: fc.constantFrom(null, { host: 'one', id: 'a', login: 'x' }) },
  returned: { ...at, result },
  asked: {
    ...at,
    result,
    calls: fc.constant([askedCommand('npm install')]),
    person: role,
    until: fc.option(time, { nil: null }),
    notices,
  },
  checked: {
    ...at,
    problems: fc.constantFrom([], ['wrong']),
    left: fc.constant(null),
    met: fc.constantFrom([], ['other']),
  },
  'landing-queued': { ...at, message: id, commit: fc.constant('c'), lands },
  'landing-asked': {
    ...at,
    onto: fc.constant('a'),
    rules: fc.constantFrom(null, { paths: ['mailroom.yaml'], more: 0, digest: 'd' }),
    undone: fc.boolean(),
  },
  'landing-checked': { ...at, onto: fc.constant('a'), result: fc.constant('b') },
  'landing-blocked': { ...at, problem: fc.constant('dirty') },
  'landing-missed': at,
  'landing-refused': { ...at, problems: fc.constant(['wrong']) },
  landed: at,
  unanswered: { turn },
  continued: { turn },
  corrected: { turn, problems: fc.constant(['wrong']) },
  'attempt-failed': {
    ...at,
    class: fc.constantFrom('RETRYABLE_TRANSIENT', 'RETRYABLE_RATE_LIMIT', 'NON_RETRYABLE', 'FATAL'),
    reason,
    until: fc.option(time, { nil: null }),
    usage,
    session,
  },
  stopped: at,
  requeued: { turn, notBefore: time, counted: fc.boolean() },
  conflicted: { turn, by: fc.constantFrom('role', 'person'), notices },
  resumed: { turn, provider: fc.constantFrom('agent', 'other') },
  committed: { turn, sent: fc.array(sent, { maxLength: 3 }) },
  abandoned: { turn, reason, notices },
  escalated: { ask, to: role, person: fc.boolean() },
  proceeded: { ask, notice: message, person: fc.boolean() },
  'failed-back': { ask, reason, notices },
  'thread-failed': { thread: id, reason, notices },
  quieted: { thread: id, notices },
  withdrawn: { message: id, recipient: role, notices },
  read: { message: id, recipient: role },
  projected: { through: fc.nat({ max: 100 }) },
  vanished: { role, notices },
  restored: { role },
  suspended: { ms: fc.nat(1e6) },
  parked: { provider: fc.constantFrom('agent', 'other'), until: time },
  controlled: {
    id,
    by: fc.constant('ada'),
    command,
    refusal: fc.constantFrom(null, null, { code: 'E_REFUSED', text: 'no' }),
  },
};

/** Any event at all, of things that are there or not. */
export const anyEvent: fc.Arbitrary<MailEvent> = fc.oneof(
  ...Object.entries(happenings).map(([name, fields]) =>
    fc
      .record({ type: fc.constant(name), ...fields, v: fc.constant(1), at: time })
      .map((event) => event as unknown as MailEvent),
  ),
);
