import { expect, it } from 'vitest';
import { endedBy, refused } from '../../../src/extensions/workers/remote-turn.ts';
import { readRemoteEnd } from '../../../src/extensions/workers/letters/remote-turn.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import { exit, invocation } from '../../providers/samples.ts';

const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
const job: AgentJob = {
  key: 'a',
  provider: 'own',
  invocation: invocation({ budget: { usd: 0.4, tokens: null } }),
  ...limits,
};
const { code, signal, ended, error, stdout, stderr, durationMs } = exit();

/** What a worker says of a turn that was done. */
function said(usage: JsonObject, more: JsonObject = {}) {
  const outcome = { is: 'done', text: 'Done.', usage, model: null, denials: [], ...more };
  return readRemoteEnd({
    worker: { id: 'w', host: 'there', login: 'ada' },
    outcome,
    exit: { code, signal, ended, error, durationMs, stdout, stderr },
    staged: [],
    changed: [],
    work: null,
    files: null,
  });
}

function endOf(usage: JsonObject, more: JsonObject = {}) {
  const read = said(usage, more);
  return read.ok ? read.value : expect.fail(read.problem);
}

function outcomeOf(usage: JsonObject, more: JsonObject = {}) {
  const [outcome] = endedBy(job, endOf(usage, more), null);
  if (outcome.is !== 'done') throw new Error(outcome.is);
  return outcome;
}

it.each<[JsonObject, string]>([
  [{ usd: 1e308, tokens: 1 }, '1e+308 dollars, more than 1000 times its budget'],
  [{ usd: 0.1, tokens: 1e300 }, '1e+300 tokens, more than a launch can use'],
  [{ usd: 401, tokens: 1 }, '401 dollars, more than 1000 times its budget'],
  [{ usd: Infinity, tokens: 1 }, 'Infinity dollars, more than 1000 times its budget'],
  [{ usd: -5, tokens: 1 }, '-5 dollars, less than nothing'],
  [{ usd: 0.1, tokens: '7' }, 'tokens that are no number, or are given twice'],
  [{ tokens: 1 }, 'dollars that are no number, or are given twice'],
])('does not believe a worker that its agent has used %j, and names both', (usage, problem) => {
  const named = `the agent of \`engineer\` on there reported ${problem}: its report does not count, and it is unpriced`;
  const unknown = { usd: null, tokens: null };
  expect(outcomeOf(usage)).toMatchObject({ usage: unknown, warnings: [named] });
  const [lost] = refused(job, endOf(usage), 'its work was refused');
  expect(lost).toMatchObject({ usage: unknown, reason: { text: `its work was refused; ${named}` } });
});

it('passes on what the worker itself did not believe, and believes the rest', () => {
  const unknown = { usd: null, tokens: null };
  expect(outcomeOf(unknown, { warnings: ['Not so.'] })).toMatchObject({
    usage: unknown,
    warnings: ['Not so.'],
  });
  expect(outcomeOf({ usd: 0.3, tokens: 7 }).usage).toEqual({ usd: 0.3, tokens: 7 });
});
