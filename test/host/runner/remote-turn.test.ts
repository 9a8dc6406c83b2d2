import { expect, it } from 'vitest';
import { endedBy } from '../../../src/host/runner/remote-turn.ts';
import { readRemoteEnd } from '../../../src/letters/remote-turn.ts';
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

function outcomeOf(usage: JsonObject, more: JsonObject = {}) {
  const read = said(usage, more);
  if (!read.ok) throw new Error(read.problem);
  const [outcome] = endedBy(job, read.value, null);
  if (outcome.is !== 'done') throw new Error(outcome.is);
  return outcome;
}

it.each([
  { usd: 1e308, tokens: 1 },
  { usd: 0.1, tokens: 1e300 },
  { usd: 401, tokens: 1 },
])('does not believe a worker that its agent has used %j', (usage) => {
  const outcome = outcomeOf(usage);
  expect(outcome.usage).toEqual({ usd: null, tokens: null });
  expect(outcome.warnings).toEqual([expect.stringContaining('its report does not count')]);
});

it('passes on what the worker itself did not believe, and believes the rest', () => {
  const unknown = { usd: null, tokens: null };
  expect(outcomeOf(unknown, { warnings: ['Not so.'] })).toMatchObject({
    usage: unknown,
    warnings: ['Not so.'],
  });
  expect(outcomeOf({ usd: 0.3, tokens: 7 }).usage).toEqual({ usd: 0.3, tokens: 7 });
});
