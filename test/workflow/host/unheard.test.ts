import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { controlFolder } from '../../../src/host/control.ts';
import { runControlFolder } from '../../../src/workflow/files/run-folders.ts';
import { exit } from '../../providers/samples.ts';
import { step, workflow } from '../files/samples.ts';
import { usualChoices } from '../../../src/workflow/reserved.ts';
import { template } from '../machine/graph.ts';
import { HostedMail, run } from '../../mail/host/hosted-mail.ts';
import { begin, command, hostOf, openHost } from './hosted-run.ts';

const gate = {
  kind: 'gate',
  approvers: [],
  choices: usualChoices,
  fields: {},
  timeout: 1_000,
  onTimeout: 'abort',
} as const;
const definition = workflow(step('ship', [], { ...gate, message: template('Ship it?') }));

/** Has the disk refuse to read what lies in a folder. */
function refuse({ disk }: HostedMail, folder: string): void {
  disk.beforeRead = (path) => {
    if (path.startsWith(folder)) throw new MailroomError('E_DISK', `cannot list ${folder}: it is broken`);
  };
}

it('starts no turn while the commands of people cannot be read, says so, and continues when they can', () => {
  const project = new HostedMail();
  project.host.look();
  const pause = {
    id: 'c',
    at: 0,
    by: 'ada',
    verb: 'pause',
    target: { kind: 'role', role: 'one' },
    now: false,
  };
  writeSealed(project.disk, `${controlFolder}/c.json`, JSON.stringify(pause));
  refuse(project, controlFolder);
  project.send('one');
  expect(project.host.look()).toMatchObject({ settled: false });
  expect(project.host.look()).toMatchObject({ settled: false });
  expect(project.host).toMatchObject({ desired: 0, problem: `cannot list ${controlFolder}: it is broken` });
  project.disk.beforeRead = null;
  project.settle();
  expect(project.turns).toBe(0);
  expect(project.host.problem).toBe(null);
  expect([...project.host.state.paused.roles.keys()]).toEqual(['one']);
  expect(project.disk.list(controlFolder)).toEqual([]);
});

it('takes a command once that cannot be removed', () => {
  const project = new HostedMail();
  const pause = {
    id: 'c',
    at: 0,
    by: 'ada',
    verb: 'pause',
    target: { kind: 'role', role: 'one' },
    now: false,
  };
  writeSealed(project.disk, `${controlFolder}/c.json`, JSON.stringify(pause));
  project.disk.before = (operation) => {
    if (JSON.stringify(operation).includes(`${controlFolder}/c.json`))
      throw new MailroomError('E_DISK', 'cannot remove it');
  };
  project.host.look();
  project.host.look();
  expect(project.host.problem).toBe('cannot remove it');
  expect(project.events('controlled')).toHaveLength(1);
  project.disk.before = null;
  project.settle();
  expect(project.events('controlled')).toHaveLength(1);
  expect(project.disk.list(controlFolder)).toEqual([]);
});

it('turns away what names no message that can be read, and continues', () => {
  const project = new HostedMail();
  const letter = (name: unknown) => ({ kind: 'letter', role: 'one', name });
  const targets = [
    letter('../x'),
    letter('bytes.md'),
    letter(5),
    { kind: 'thread' },
    { kind: 'toString' },
    'all',
  ];
  for (const [index, target] of targets.entries()) {
    const asked = { id: `c${String(index)}`, at: 0, by: 'ada', verb: 'retry', target, now: false };
    writeSealed(project.disk, `${controlFolder}/c${String(index)}.json`, JSON.stringify(asked));
  }
  project.disk.write('agents/one/failed/2026-01/bytes.md', Buffer.of(0, 1));
  project.settle();
  expect(
    project.events('controlled').map((each) => (each as { event: { id: string; refusal: unknown } }).event),
  ).toMatchObject([{ id: 'c1', refusal: { code: 'E_TARGET' } }]);
  expect(project.disk.list(controlFolder)).toEqual([]);
  const refused = ['c0', 'c2', 'c3', 'c4', 'c5'].flatMap((id) => [`${id}.json`, `${id}.json.reason.txt`]);
  expect(project.disk.list('.mailroom/refused')?.toSorted()).toEqual(refused);
  const told = [...project.host.state.unread.values()].map(({ message }) => message.subject);
  expect(told.toSorted()).toEqual([
    ...['c0', 'c2', 'c3', 'c4', 'c5'].map((id) => `Refused: ${controlFolder}/${id}.json`),
    'Refused: retry bytes.md of one',
  ]);
});

it('lets no gate run out of time while no one knows what was said to it', () => {
  const project = begin(definition);
  const host = hostOf(project, definition, false);
  host.look();
  command(project, 'c', 'approve', 'ship');
  refuse(project, runControlFolder(run));
  project.now += 5_000;
  host.look();
  expect(host.state.steps.get('ship')?.phase).toMatchObject({ is: 'asked' });
  expect(host.problem).toMatch(/^cannot list/);
  project.disk.beforeRead = null;
  host.look();
  expect(host.problem).toBe(null);
  expect(host.state.status).toBe('SUCCEEDED');
});

it('starts no step again that ends while no one knows what people want', () => {
  const asks = workflow(step('make', [], { kind: 'command', argv: [template('true')], capabilities: null }));
  const project = begin(asks);
  const started: string[] = [];
  const runner = {
    start: ({ key }: { readonly key: string }) => void started.push(key),
    stop: () => {},
    sweep: () => Promise.resolve(),
  };
  const host = hostOf(project, asks, false, { runner });
  host.look();
  expect(started).toHaveLength(1);
  refuse(project, runControlFolder(run));
  host.ended(started[0]!, exit());
  host.look();
  host.look();
  expect(started).toHaveLength(1);
  project.disk.beforeRead = null;
  host.look();
  expect(host.state.status).toBe('SUCCEEDED');
});

it('continues with a run while it cannot be read which providers rest, and says so', () => {
  const agent = {
    kind: 'agent',
    provider: 'claude',
    model: null,
    maxSteps: null,
    maxCommandTime: null,
  } as const;
  const asks = workflow(step('ask', [], { ...agent, capabilities: [], instructions: template('Do it.') }));
  const project = begin(asks);
  const list = () => {
    throw new MailroomError('E_DISK', 'cannot list .mailroom/parked');
  };
  const host = openHost(project, asks, { parking: { list, park: list } });
  host.resume('person');
  expect(() => host.look()).not.toThrow();
  expect(host.problem).toBe('cannot list .mailroom/parked');
});
