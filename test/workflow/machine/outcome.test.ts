import { describe, expect, it } from 'vitest';
import type { Collected, Launch } from '../../../src/workflow/machine/launch.ts';
import { outputsFromText, readCheck, readWork } from '../../../src/workflow/machine/outcome.ts';
import { agent, collected, exited, launch, said } from './ends.ts';
import { anyValue } from './graph.ts';
import type { Exit, Outcome } from '../../../src/providers/provider.ts';

const script: Launch = { ...launch, work: { kind: 'script', script: 'x', env: {}, capabilities: ['READ'] } };

function classOf(of: Launch, exit: Exit): string {
  const { outcome } = readWork(of, { exit, outcome: null, collected });
  return outcome.is === 'done' ? 'done' : outcome.class;
}

it('says of an agent what is wrong with its report, beside what its outputs lack', () => {
  const outcome: Outcome = { ...said('Done.'), is: 'done', warnings: ['Not so.'] } as Outcome;
  const lacking = { ...collected, warnings: ['An output is cut.'] };
  const { warnings } = readWork(agent, { exit: exited(0), outcome, collected: lacking });
  expect(warnings).toEqual(['Not so.', 'An output is cut.']);
});

describe('exit codes', () => {
  it.each([
    [0, 'done', 'done'],
    [1, 'RETRYABLE_TRANSIENT', 'RETRYABLE_TRANSIENT'],
    [2, 'NON_RETRYABLE', 'NON_RETRYABLE'],
    [3, 'NON_RETRYABLE', 'RETRYABLE_TRANSIENT'],
    [124, 'RETRYABLE_TRANSIENT', 'RETRYABLE_TRANSIENT'],
    [126, 'NON_RETRYABLE', 'NON_RETRYABLE'],
    [127, 'NON_RETRYABLE', 'NON_RETRYABLE'],
    [137, 'NON_RETRYABLE', 'RETRYABLE_TRANSIENT'],
  ])('%i: of a command %s, of a script %s', (code, ofCommand, ofScript) => {
    expect(classOf(launch, exited(code))).toBe(ofCommand);
    expect(classOf(script, exited(code))).toBe(ofScript);
  });

  it('names a command only where it was not there: 127 may be the word of any program', () => {
    const says = (of: Launch, exit: Exit) => {
      const { outcome } = readWork(of, { exit, outcome: null, collected });
      return outcome.is === 'failed' ? outcome.reason.text : null;
    };
    const missing = { ended: 'spawn-failed', error: 'command not found: make' } as const;
    expect(says(launch, exited(127, missing))).toBe('it could not be started: command not found: make');
    expect(says(launch, exited(127))).toBe('exit code 127');
    expect(says(script, exited(127, { stderr: 'sh: 1: nosuch: not found' }))).toBe(
      'exit code 127: sh: 1: nosuch: not found',
    );
    expect(says(launch, exited(126, { stderr: 'sh: ./x: Permission denied' }))).toBe(
      'exit code 126: sh: ./x: Permission denied',
    );
  });

  it('says how much was too much to print', () => {
    const exit = exited(null, { ended: 'output-limit', error: 'more than 1 GiB on standard output' });
    expect(readWork(launch, { exit, outcome: null, collected }).outcome).toMatchObject({
      reason: { text: 'it printed more than 1 GiB on standard output: write what is large into a file' },
    });
  });

  it('says the last line of what failed', () => {
    const exit = exited(1, { stderr: 'one\ntwo\n\n', stdout: 'three' });
    const { outcome } = readWork(launch, { exit, outcome: null, collected });
    expect(outcome).toMatchObject({ reason: { text: 'exit code 1: two' } });
  });

  it('says the line that names the error, where one does', () => {
    const stderr =
      "throw err;\n\nError: Cannot find module 'x'\n    at node:internal:1\n\nNode.js v20.20.0\n";
    const { outcome } = readWork(launch, { exit: exited(1, { stderr }), outcome: null, collected });
    expect(outcome).toMatchObject({ reason: { text: "exit code 1: Error: Cannot find module 'x'" } });
  });

  it('takes a timeout for one, with its exit code', () => {
    const result = readWork(script, {
      exit: exited(null, { ended: 'total-timeout' }),
      outcome: null,
      collected,
    });
    expect(result).toMatchObject({
      exitCode: 124,
      outcome: { timedOut: true, class: 'RETRYABLE_TRANSIENT' },
    });
  });

  it('aborts when what is printed cannot be written', () => {
    expect(classOf(launch, exited(0, { ended: 'output-failed' }))).toBe('FATAL');
  });
});

describe('values', () => {
  const wants: Launch = {
    ...agent,
    values: {
      n: { ...anyValue, type: 'integer', required: true },
      s: { ...anyValue, type: 'string', default: 'x' },
    },
  };

  it('come from the file, with defaults, and leave out what no one declared', () => {
    const result = readWork(wants, {
      exit: exited(0),
      outcome: said('```json\n{"n": 9}\n```'),
      collected: { ...collected, values: { n: 1, other: true } },
    });
    expect(result.values).toEqual({ n: 1, s: 'x' });
    expect(result.warnings).toEqual(['the value `other` is not declared and was left out']);
  });

  it('come from the last fenced json where there is no file', () => {
    const text = '```json\n{"n": 1}\n```\nno:\n```json\n{"n": 2}\n```\nbye';
    expect(readWork(wants, { exit: exited(0), outcome: said(text), collected }).values).toEqual({
      n: 2,
      s: 'x',
    });
  });

  it.each(['9007199254740993', '1e400', '0.12345678901234567890'])(
    'fail the step where a number in the fenced json cannot be kept: %s',
    (figure) => {
      const text = `\`\`\`json\n{"n": ${figure}}\n\`\`\``;
      const { outcome } = readWork(wants, { exit: exited(0), outcome: said(text), collected });
      expect(outcome).toMatchObject({
        class: 'NON_RETRYABLE',
        reason: {
          code: 'E_OUTPUT',
          text: `the values: the last block with values: \`${figure}\` (line 1, column 7) is a number that cannot be kept exactly; quote it to keep its digits`,
        },
      });
    },
  );

  it.each([
    ['missing', {}, '`n` is missing'],
    ['of another type', { n: 'one' }, '`n` must be an integer, and is a string'],
  ])('that are %s fail the step', (_, values, text) => {
    const { outcome } = readWork(wants, {
      exit: exited(0),
      outcome: said(''),
      collected: { ...collected, values },
    });
    expect(outcome).toMatchObject({ class: 'NON_RETRYABLE', reason: { code: 'E_OUTPUT' } });
    expect(outcome.is === 'failed' && outcome.reason.text).toContain(text);
  });

  it('may be a failure with a name', () => {
    const values = { error: { code: 'no_tests', message: 'there are none' } };
    const { outcome } = readWork(agent, {
      exit: exited(0),
      outcome: said(''),
      collected: { ...collected, values },
    });
    expect(outcome).toMatchObject({
      is: 'failed',
      reported: 'no_tests',
      reason: { text: 'no_tests: there are none' },
    });
  });
});

describe('outputs', () => {
  const plan = { name: 'plan', path: 'out/plan.md', type: null, required: true };
  const log = { name: 'log', path: 'log.txt', type: null, required: false };

  it('that are missing are a warning, or a failure when they must be there', () => {
    const optional = readWork(launch, {
      exit: exited(0),
      outcome: null,
      collected: { ...collected, missing: [log] },
    });
    expect(optional.warnings).toEqual(['the output `log` is not there: log.txt']);
    const { outcome } = readWork(launch, {
      exit: exited(0),
      outcome: null,
      collected: { ...collected, missing: [plan] },
    });
    expect(outcome).toMatchObject({
      class: 'NON_RETRYABLE',
      reason: { text: 'required outputs are not there: `plan`' },
    });
  });

  it('of an agent that could only answer are its final text', () => {
    expect(outputsFromText(agent, { ...collected, missing: [plan] }, 'The plan.')).toEqual([
      { output: plan, text: 'The plan.\n' },
    ]);
  });

  it('of which several are missing are fenced blocks headed by their path', () => {
    const text = 'Here:\n\n**out/plan.md**\n```md\n# Plan\n```\n```txt ./log.txt\nlines\n```\n';
    expect(outputsFromText(agent, { ...collected, missing: [plan, log] }, text)).toEqual([
      { output: plan, text: '# Plan\n' },
      { output: log, text: 'lines\n' },
    ]);
  });

  it('of a program are never taken from what it prints', () => {
    expect(outputsFromText(script, { ...collected, missing: [plan] }, 'text')).toEqual([]);
  });
});

describe('checks', () => {
  const byFile: Launch = { ...script, check: { id: 'c7', decisionFile: 'decision', summary: null } };
  const byCode: Launch = { ...script, check: { id: 'c7', decisionFile: null, summary: null } };
  const byAgent: Launch = { ...agent, check: { id: 'c7', decisionFile: null, summary: null } };

  function file(decision: string | null, code = 0) {
    return readCheck(byFile, {
      exit: exited(code),
      outcome: null,
      collected: { ...collected, decision },
      changed: [],
    }).verdict;
  }

  it.each([
    ['{"decision":"complete","check_id":"c7"}', 'complete'],
    ['{"decision":"complete"}', 'complete'],
    ['{"decision":"complete","check_id":"c6"}', 'none'],
    ['{"decision":"incomplete","reasons":["a"],"fingerprints":["f"]}', 'incomplete'],
    ['PASS', 'complete'],
    ['pass: fine', 'complete'],
    ['FAIL\nmore to do', 'incomplete'],
    ['maybe', 'none'],
    ['', 'none'],
  ])('read the decision %s as %s', (decision, is) => {
    expect(file(decision)).toMatchObject({ is });
    expect(file(decision, 1)).toMatchObject({ is });
  });

  it('have no verdict without the file, or when the program itself fails', () => {
    expect(file(null)).toMatchObject({ is: 'none', final: false });
    expect(file('PASS', 2)).toMatchObject({ is: 'none', final: true });
    expect(file('PASS', 5)).toMatchObject({ is: 'none', final: false });
  });

  it('that fail are reported as checks, with the limit that they went over or what they printed last', () => {
    const reason = (of: Launch, exit: Exit, outcome: Outcome | null = null) => {
      const { verdict } = readCheck(of, { exit, outcome, collected, changed: [] });
      return verdict.is === 'none' ? verdict.reason : null;
    };
    const late = exited(null, { ended: 'total-timeout' });
    expect(reason({ ...byCode, timeout: 500 }, late)).toEqual({
      code: 'E_TIMEOUT',
      text: 'check of `a`: timed out after 500ms',
    });
    expect(reason({ ...byCode, timeout: null }, exited(2, { stderr: 'no such test\n' }))).toEqual({
      code: 'E_STEP',
      text: 'check of `a`: exit code 2: no such test',
    });
    const later: Outcome = {
      is: 'later',
      class: 'RETRYABLE_TRANSIENT',
      reason: { code: 'E_TIMEOUT', text: 'claude took longer than its time' },
      until: null,
      usage: { usd: 0, tokens: 0 },
      session: null,
    };
    expect(reason({ ...byAgent, timeout: 90_000 }, late, later)?.text).toBe(
      'check of `a`: timed out after 1m30s',
    );
  });

  it('go by the exit code of a script, with what shows why in its output as reasons', () => {
    const lines = Array.from({ length: 900 }, (_, index) => `line ${String(index)}`);
    const stdout = lines.with(450, 'not ok 450 - adds').join('\n');
    const { verdict } = readCheck(byCode, {
      exit: exited(1, { stdout }),
      outcome: null,
      collected,
      changed: [],
    });
    expect(verdict).toMatchObject({
      is: 'incomplete',
      fingerprints: [],
      log: '.mailroom/runs/r1/steps/a/1.1/stdout',
    });
    const reasons = verdict.is === 'incomplete' ? verdict.reasons : [];
    expect(reasons.length).toBeLessThanOrEqual(200);
    expect([reasons[0], reasons.includes('not ok 450 - adds'), reasons.at(-1)]).toEqual([
      'line 0',
      true,
      'line 899',
    ]);
    expect(readCheck(byCode, { exit: exited(0), outcome: null, collected, changed: [] }).verdict).toEqual({
      is: 'complete',
    });
  });

  it('go by what an agent says', () => {
    const outcome = said(
      'So:\n```json\n{"decision": "incomplete", "check_id": "c7", "reasons": ["no tests"]}\n```',
    );
    const { verdict } = readCheck(byAgent, { exit: exited(0), outcome, collected, changed: [] });
    expect(verdict).toEqual({ is: 'incomplete', reasons: ['no tests'], fingerprints: [], log: null });
  });

  it('find nothing complete that was changed where it may not be', () => {
    const convergence = {
      stallThreshold: 2,
      maxStage: 3,
      failOnMaxStage: true,
      stages: [],
      allowedPaths: ['src/', 'docs/*.md'],
      ignoredPaths: [],
      diffBase: { kind: 'ref', ref: 'HEAD' },
      maxChangedFiles: 2,
      stage: 1,
    } as const;
    const verdict = (changed: string[] | string) =>
      readCheck({ ...byCode, convergence }, { exit: exited(0), outcome: null, collected, changed }).verdict;
    expect(verdict(['src/a/b.ts', 'docs/x.md'])).toEqual({ is: 'complete' });
    expect(verdict(['src/a\nb/c\n.ts', 'docs/x\n.md'])).toEqual({ is: 'complete' });
    expect(verdict(['test/a.ts'])).toMatchObject({ fingerprints: ['outside-allowed-paths:test/a.ts'] });
    expect(verdict(['src/a', 'src/b', 'src/c'])).toEqual({
      is: 'incomplete',
      reasons: ['3 files were changed, and at most 2 may be: src/a, src/b, src/c'],
      fingerprints: ['too-many-changed-files'],
      log: null,
    });
    const many = Array.from({ length: 23 }, (_, index) => `src/${String(index)}`);
    expect(JSON.stringify(verdict(many))).toMatch(/may be: src\/0, src\/1, .*, src\/19 and 3 more"/);
    expect(verdict('no git here')).toMatchObject({ is: 'none', final: true });
  });
});

describe('a worker that was ended because it printed nothing', () => {
  const silent = exited(null, { ended: 'idle-timeout', signal: 'SIGTERM' });
  const late: Outcome = {
    is: 'later',
    class: 'RETRYABLE_TRANSIENT',
    reason: { code: 'E_TIMEOUT', text: 'claude wrote nothing for too long' },
    until: null,
    usage: { usd: null, tokens: null },
    session: null,
  };

  it.each([
    ['fail', 'NON_RETRYABLE'],
    ['retry', 'RETRYABLE_TRANSIENT'],
    ['incomplete', 'RETRYABLE_TRANSIENT'],
  ] as const)('is %s: %s, whether a program or an agent', (policy, errorClass) => {
    const reason = { code: 'E_STALLED', text: 'it printed nothing for 2m' };
    const outcome = { is: 'failed', class: errorClass, reason, timedOut: true };
    const stall = { after: 120_000, policy };
    const program = readWork({ ...script, stall }, { exit: silent, outcome: null, collected });
    expect(program).toMatchObject({ outcome, exitCode: 124 });
    const its = readWork({ ...agent, stall }, { exit: silent, outcome: late, collected });
    expect(its).toMatchObject({ outcome, exitCode: 124 });
  });

  it('hands its outputs so far on where its step is incomplete, without those that are required', () => {
    const unfinished: Launch = { ...script, stall: { after: 1_000, policy: 'incomplete' } };
    const artifacts = [{ name: 'report', path: 'report/report.md', type: null }];
    const read = (changes: Partial<Collected>) =>
      readWork(unfinished, { exit: silent, outcome: null, collected: { ...collected, ...changes } });
    const missing = [{ name: 'log', path: 'log.txt', type: null, required: true }];
    const outcome = { reason: { code: 'E_STALLED' } };
    expect(read({ artifacts, missing })).toMatchObject({ artifacts, outcome });
    expect(
      readWork(
        { ...script, stall: { after: 1_000, policy: 'retry' } },
        { exit: silent, outcome: null, collected: { ...collected, artifacts } },
      ),
    ).toMatchObject({ artifacts: [], outcome });
  });
});
