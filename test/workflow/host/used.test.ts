import { expect, it } from 'vitest';
import type { Cost } from '../../../src/kernel/cost.ts';
import { maskOf } from '../../../src/process/output/mask.ts';
import { builtInProviders } from '../../../src/providers/index.ts';
import { runReader } from '../../../src/workflow/files/run-folders.ts';
import { runFolder } from '../../../src/host/run-mail.ts';
import type { RunHost } from '../../../src/workflow/host/run-host.ts';
import type { RunPorts } from '../../../src/workflow/host/ports.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { fixture, environment } from '../../providers/samples.ts';
import { run, type HostedMail } from '../../mail/host/hosted-mail.ts';
import { graph, workflow } from '../machine/graph.ts';
import { begin, command, hostOf } from './hosted-run.ts';

/* What an agent of a run has used when it is stopped: its budget is 2 dollars. */

const definition = {
  ...workflow(graph('work : agent=claude usd=2'), { name: 'sample' }),
  contextDir: './context',
};
const reported = fixture('claude', 'edit-outbox')
  .stdout.split('\n')
  .filter((line) => !line.includes('"type":"result"'))
  .join('\n');
/** Of an answer that was cut off claude reports no output: what is missing is unpriced. */
const known: Cost = { usd: 0.0075, tokens: 2100, unpriced: 1 };
const unknown: Cost = { usd: 2, tokens: 0, unpriced: 1 };

const open = (project: HostedMail, begun: boolean, more: Partial<RunPorts> = {}) =>
  hostOf(project, definition, begun, { providers: builtInProviders(environment), ...more });

/** A run whose agent has printed this. */
function working(stdout: string | null): { project: HostedMail; host: RunHost } {
  const project = begin(definition);
  const host = open(project, false);
  host.look();
  expect(host.running).toBe(1);
  const file = `${runFolder(run)}/steps/work/1.1/stdout`;
  if (stdout !== null) project.disk.write(file, stdout);
  return { project, host };
}

function events(project: HostedMail, type: RunEvent['type']): RunEvent[] {
  return runReader(project.disk, run)
    .read()
    .records.map(({ event }) => event)
    .filter((event) => event.type === type);
}

const ends: Readonly<Record<string, (project: HostedMail, host: RunHost) => RunHost>> = {
  'its host stops': (_project, host) => {
    host.stop();
    return host;
  },
  'its host was killed': (project) => open(project, true),
  'the run is cancelled': (project, host) => {
    command(project, 'c', 'cancel');
    host.look();
    return host;
  },
};

it.each(Object.keys(ends))('counts what an agent had reported when %s', (how) => {
  const { project, host } = working(reported);
  const { cost, bills } = ends[how]!(project, host).state;
  expect(cost).toEqual(known);
  expect([...bills.values()]).toMatchObject([{ provider: 'claude', launches: 1, cost: known }]);
});

it.each(Object.keys(ends))('counts its reservation if it had reported nothing when %s', (how) => {
  for (const stdout of [null, '', 'Hello.\n', '{"type":"assistant"']) {
    const { project, host } = working(stdout);
    expect(ends[how]!(project, host).state.cost).toEqual(unknown);
  }
});

it('counts it once, however many hosts follow', () => {
  const { project, host } = working(reported);
  host.stop();
  expect(events(project, 'put-back')).toMatchObject([
    { used: [{ path: 'work', usage: { usd: 0.0075, tokens: 2100 }, session: null }] },
  ]);
  expect(open(project, true).state.cost).toEqual(known);
  const next = open(project, true);
  expect(next.state.cost).toEqual(known);
  next.look();
  expect(next.running).toBe(1);
});

it('fails a step whose hosts died three times with what its last agent had reported', () => {
  const { project } = working(reported);
  for (const launch of [2, 3]) {
    const host = hostOf(project, definition, true, { providers: builtInProviders(environment) });
    host.look();
    project.disk.write(`${runFolder(run)}/steps/work/1.${String(launch)}/stdout`, reported);
  }
  const { state } = open(project, true);
  expect(state.cost).toEqual({ usd: 0.0225, tokens: 6300, unpriced: 3 });
});

it('masks the name of a conversation', () => {
  const { project, host } = working(reported);
  const claude = builtInProviders(environment).get('claude')!;
  const session = { id: 'top-secret-name', usd: 1, tokens: 1 };
  const read: typeof claude.read = (...args) => ({ ...claude.read(...args), session });
  host.stopAll();
  const providers = new Map([['claude', { ...claude, read }]]);
  const next = open(project, true, { providers, mask: maskOf(['top-secret-name']) });
  expect(next.state.cost).toEqual(known);
  expect(JSON.stringify(events(project, 'resumed'))).not.toContain('top-secret-name');
});
