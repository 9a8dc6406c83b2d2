import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { agents, everybody, exit, fixture, invocation, now, request, verdict } from './samples.ts';
import type { Exit, Outcome } from '../../src/providers/provider.ts';

/** What every agent CLI's output means, by the name of its fixture. */
const meanings: readonly (readonly [fixture: string, verdict: string])[] = [
  ['text', 'done'],
  ['read-denied', 'done'],
  ['edit-outbox', 'done'],
  ['edit-shell-denied', 'done'],
  ['tests', 'done'],
  ['status-400', 'never E_PROVIDER'],
  ['status-401', 'never E_LOGIN'],
  ['status-403', 'never E_LOGIN'],
  ['status-429', 'later limited E_PROVIDER'],
  ['status-500', 'later transient E_PROVIDER'],
  ['status-529', 'later transient E_PROVIDER'],
  ['limit', 'later limited E_PROVIDER'],
  ['cut', 'later transient E_PROVIDER'],
  ['sigterm', 'later transient E_PROVIDER'],
  ['unknown-session', 'later transient E_SESSION'],
  ['no-key', 'never E_LOGIN'],
];

describe.each(agents)('$name', ({ name, provider, session, usd, model, denials }) => {
  const read = (ended: Exit, changes = {}): Outcome => provider.read(ended, invocation(changes), now);

  it.each(meanings)('reads the output of %s as %s', (sample, meaning) => {
    const outcome = read(fixture(name, sample));
    expect({ ...outcome, verdict: verdict(outcome) }).toMatchObject({ verdict: meaning });
  });

  it('gives text, session, usage and model of a turn', () => {
    expect(read(fixture(name, 'text'))).toEqual({
      is: 'done',
      text: 'Hello.',
      session: { id: session.id, usd: usd ?? 0, tokens: request.tokens },
      usage: { usd, tokens: request.tokens },
      model,
      denials: [],
    });
  });

  it('gives the last text of a turn that used tools', () => {
    expect(read(fixture(name, 'edit-outbox'))).toMatchObject({ text: 'Done.', denials: [] });
  });

  it('gives all that was said as plain text, from the middle of an output too', () => {
    const { stdout } = fixture(name, 'edit-outbox');
    expect(provider.said?.(stdout)).toBe('Done.');
    expect(provider.said?.(stdout.slice(5))).toBe('Done.');
    const twice = fixture(name, 'text').stdout + stdout;
    expect(provider.said?.(twice)).toBe('Hello.\n\nDone.');
  });

  it('counts only what a resumed turn used, and continues with the total', () => {
    expect(read(fixture(name, 'resume'), { session })).toMatchObject({
      text: 'Again.',
      usage: { usd, tokens: request.tokens },
      session: { id: session.id, usd: (usd ?? 0) * 2, tokens: request.tokens * 2 },
    });
  });

  it('names the tools that were refused', () => {
    expect(read(fixture(name, 'read-denied'))).toMatchObject({ is: 'done', denials });
  });

  it('says when a limit of use ends', () => {
    const until = name === 'claude' ? 1_795_300_000_000 : now + 12_000_000;
    expect(read(fixture(name, 'limit'))).toMatchObject({ until });
  });

  it('says how to log in', () => {
    for (const sample of ['no-key', 'status-401']) {
      expect(read(fixture(name, sample))).toMatchObject({
        reason: { text: expect.stringMatching(/log ?in/) },
      });
    }
  });

  it('takes nothing for a success but its own last event and exit code 0', () => {
    const good = fixture(name, 'text');
    const lines = good.stdout.trimEnd().split('\n');
    expect(verdict(read({ ...good, stdout: lines.slice(0, -1).join('\n') }))).toBe(
      'later transient E_PROVIDER',
    );
    expect(verdict(read({ ...good, stdout: good.stdout.slice(0, -20) }))).toBe('later transient E_PROVIDER');
    expect(verdict(read({ ...good, code: 1 }))).toBe('later transient E_PROVIDER');
    expect(verdict(read({ ...good, code: null, signal: 'SIGTERM' }))).toBe('later transient E_PROVIDER');
    expect(verdict(read(exit()))).toBe('later transient E_PROVIDER');
  });

  it('reads its events between chatter, garbage and cut lines', () => {
    const good = fixture(name, 'text');
    const noise = [
      'Warning: a line',
      '{"type":"result","is_error"',
      '{}',
      '{oops}',
      '{"type":"result",}',
      'null',
      '[1]',
      '"x"',
      '\u0000\uFFFD{',
      '',
    ];
    const stdout = `${noise.join('\n')}\n${good.stdout.replaceAll('\n', '\r\n')}${noise.join('\r\n')}`;
    expect(read({ ...good, stdout })).toEqual(read(good));
  });

  it('keeps what a turn used when it is stopped after its last event', () => {
    const good = fixture(name, 'text');
    const outcome = read({ ...good, code: null, signal: 'SIGKILL', ended: 'total-timeout' });
    expect(outcome).toMatchObject({ is: 'later', usage: { usd, tokens: request.tokens }, session: null });
    expect(verdict(outcome)).toBe('later transient E_TIMEOUT');
  });
});

const text = (length: number): string => 'x'.repeat(length);

/** Ends that mean the same whatever the program. */
const ends: readonly (readonly [string, Partial<Exit>, string])[] = [
  ['the end of its time', { ended: 'total-timeout', code: 143 }, 'later transient E_TIMEOUT'],
  ['the end of its time, with exit code 0', { ended: 'total-timeout' }, 'later transient E_TIMEOUT'],
  ['silence', { ended: 'idle-timeout', signal: 'SIGKILL', code: null }, 'later transient E_TIMEOUT'],
  ['too much output', { ended: 'output-limit', stdout: text(100_000) }, 'later transient E_PROVIDER'],
  ['output that cannot be kept', { ended: 'output-failed', error: 'ENOSPC' }, 'later transient E_DISK'],
  ['being stopped', { ended: 'stopped' }, 'later transient E_CANCELLED'],
  ['SIGKILL', { signal: 'SIGKILL', code: null }, 'later transient E_PROVIDER'],
  ['SIGSEGV, told by a shell', { code: 139 }, 'later transient E_PROVIDER'],
  ['no exit code', { code: null }, 'later transient E_PROVIDER'],
  ['a missing program', { code: 127, stderr: 'sh: 1: exec: claude: not found' }, 'never E_PROVIDER'],
  ['a file that is no program', { code: 126 }, 'never E_PROVIDER'],
  [
    'a missing program, seen before the start',
    { ended: 'spawn-failed', code: 127, error: 'command not found: claude' },
    'never E_PROVIDER',
  ],
  ['no start', { ended: 'spawn-failed', code: null, error: 'spawn E2BIG' }, 'never E_PROVIDER'],
  [
    'no start for now',
    { ended: 'spawn-failed', code: null, error: 'spawn EAGAIN' },
    'later transient E_PROVIDER',
  ],
  [
    'no room for its temporary folder',
    { ended: 'spawn-failed', code: null, error: 'ENOSPC: no space left on device, mkdtemp' },
    'later transient E_PROVIDER',
  ],
  [
    'no room for a process',
    { ended: 'spawn-failed', code: null, error: 'the system has no room for another process (EAGAIN)' },
    'later transient E_PROVIDER',
  ],
];

describe.each(everybody)('$name, as every provider,', (provider) => {
  it.each(ends)('takes %s as it is', (_, changes, meaning) => {
    const outcome = provider.read(exit(changes), invocation(), now);
    expect({ ...outcome, verdict: verdict(outcome) }).toMatchObject({ verdict: meaning });
  });

  it('names a missing program, and says of one that another did not find what that said', () => {
    const reasonOf = (changes: Partial<Exit>) => {
      const outcome = provider.read(exit(changes), invocation(), now);
      return outcome.is === 'done' ? null : outcome.reason.text;
    };
    const missing = { ended: 'spawn-failed', code: 127, error: 'command not found: x' } as const;
    expect(reasonOf(missing)).toMatch(/^command not found: \S+; `mailroom doctor` looks for agent programs$/);
    const dead = { ...missing, error: 'interpreter not found: the first line of x names /gone' };
    expect(reasonOf(dead)).toMatch(
      /^\S+ could not be started: interpreter not found: the first line of x names/,
    );
    expect(reasonOf({ code: 127, stderr: 'sh: bun: not found' })).toMatch(
      /^\S+ ended with exit code 127: sh: bun: not found$/,
    );
  });

  it('answers every end and any bytes with an outcome, never with an exception', () => {
    fc.assert(
      fc.property(anyExit, fc.boolean(), (ended, resumed) =>
        isOutcome(
          provider.read(
            ended,
            invocation(resumed ? { session: { id: 's', usd: 1, tokens: 1000 } } : {}),
            now,
          ),
        ),
      ),
    );
  });

  it('reads 5 MB of one line, garbage or an event, in little time', () => {
    for (const stdout of [
      text(5e6),
      `{"type":"result","result":"${text(5e6)}`,
      `{"type":"x","y":"${text(5e6)}"}`,
    ]) {
      const started = performance.now();
      expect(isOutcome(provider.read(exit({ code: 3, stdout, stderr: stdout }), invocation(), now))).toBe(
        true,
      );
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });

  it('gives reasons of at most a few lines, without control characters of the program', () => {
    const stderr = `first\n${'a word or two '.repeat(10_000)}\n\u001B[31mthe end\u001B[0m\n`;
    const outcome = provider.read(exit({ code: 3, stderr }), invocation(), now);
    if (outcome.is === 'done') throw new Error('exit code 3 is no success');
    expect(outcome.reason.text.length).toBeLessThan(500);
    expect(outcome.reason.text).toContain('the end');
    expect(outcome.reason.text).not.toContain('\u001B');
  });
});

const types = (
  'system assistant user result rate_limit_event thread.started turn.completed turn.failed item.completed ' +
  'error init message tool_use tool_result step_start step_finish text'
).split(' ');

const keys = (
  'type subtype is_error result status message content session_id usage modelUsage total_cost_usd permission_denials ' +
  'item part error stats thread_id tokens state errors rate_limit_info resetsAt data role input_tokens text reason ' +
  'tool_input tool_name tool_id parameters output cost __proto__ constructor api_error_status'
).split(' ');

/** JSON that looks like an event of one of the CLIs at first sight. */
const event = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      false,
      'success',
      'stop',
      'error',
      'rejected',
      'Rate limit, retry-after: 1e9',
      429,
      -1,
      1e300,
    ),
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
  ),
  event: fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }))
    .map(([type, rest]) => JSON.stringify({ ...(rest as object), type })),
}));

const output = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(event.event, fc.string()), { maxLength: 8 }).map((lines) => lines.join('\n')),
);

const anyExit: fc.Arbitrary<Exit> = fc.record({
  code: fc.oneof(fc.constantFrom(null, 0, 1, 41, 53, 75, 124, 173), fc.integer({ min: 0, max: 255 })),
  signal: fc.constantFrom(null, null, null, 'SIGTERM', 'SIGKILL'),
  ended: fc.constantFrom(
    'exited',
    'exited',
    'exited',
    'total-timeout',
    'output-limit',
    'output-failed',
    'stopped',
    'spawn-failed',
    'idle-timeout',
  ),
  error: fc.option(fc.string()),
  stdout: output,
  stderr: fc.oneof(
    output,
    fc.constantFrom('retry-after: 5\nusage: {"usd":1e999}', 'usage: {', 'retry-after: -1'),
  ),
  durationMs: fc.nat(),
  edits: fc.constant(null),
});

function isOutcome(outcome: Outcome): boolean {
  const known = (value: number | null): boolean => value === null || (Number.isFinite(value) && value >= 0);
  if (!known(outcome.usage.usd) || !known(outcome.usage.tokens)) return false;
  switch (outcome.is) {
    case 'done':
      return typeof outcome.text === 'string' && outcome.denials.every((denial) => denial !== '');
    case 'later':
      return outcome.reason.text !== '' && (outcome.until === null || outcome.until >= now);
    case 'never':
      return outcome.reason.text !== '';
  }
}
