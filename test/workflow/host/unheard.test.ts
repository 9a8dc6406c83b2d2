import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { controlFolder } from '../../../src/host/control.ts';
import { runControlFolder } from '../../../src/workflow/files/run-folders.ts';
import { exit } from '../../providers/samples.ts';
import { step, workflow } from '../files/samples.ts';
import { usualChoices } from '../../../src/workflow/reserved.ts';
import { template } from '../machine/graph.ts';
import { Desk, run } from '../../mail/host/desk.ts';
import { begin, command, hostOf, openHost } from './run-desk.ts';

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
function refuse({ disk }: Desk, folder: string): void {
  disk.beforeRead = (path) => {
    if (path.startsWith(folder)) throw new MailroomError('E_DISK', `cannot list ${folder}: it is broken`);
  };
}

it('starts no turn while the commands of people cannot be read, says so, and continues when they can', () => {
  const desk = new Desk();
  desk.host.look();
  const pause = {
    id: 'c',
    at: 0,
    by: 'ada',
    verb: 'pause',
    target: { kind: 'role', role: 'one' },
    now: false,
  };
  desk.disk.write(`${controlFolder}/c.json`, JSON.stringify(pause));
  refuse(desk, controlFolder);
  desk.send('one');
  expect(desk.host.look()).toMatchObject({ settled: false });
  expect(desk.host.look()).toMatchObject({ settled: false });
  expect(desk.host).toMatchObject({ desired: 0, problem: `cannot list ${controlFolder}: it is broken` });
  desk.disk.beforeRead = null;
  desk.settle();
  expect(desk.turns).toBe(0);
  expect(desk.host.problem).toBe(null);
  expect(desk.host.state.paused.roles).toEqual(new Set(['one']));
  expect(desk.disk.list(controlFolder)).toEqual([]);
});

it('takes a command once that cannot be removed', () => {
  const desk = new Desk();
  const pause = {
    id: 'c',
    at: 0,
    by: 'ada',
    verb: 'pause',
    target: { kind: 'role', role: 'one' },
    now: false,
  };
  desk.disk.write(`${controlFolder}/c.json`, JSON.stringify(pause));
  desk.disk.before = (operation) => {
    if (JSON.stringify(operation).includes(`${controlFolder}/c.json`))
      throw new MailroomError('E_DISK', 'cannot remove it');
  };
  desk.host.look();
  desk.host.look();
  expect(desk.host.problem).toBe('cannot remove it');
  expect(desk.events('controlled')).toHaveLength(1);
  desk.disk.before = null;
  desk.settle();
  expect(desk.events('controlled')).toHaveLength(1);
  expect(desk.disk.list(controlFolder)).toEqual([]);
});

it('turns away what names no message that can be read, and continues', () => {
  const desk = new Desk();
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
    desk.disk.write(`${controlFolder}/c${String(index)}.json`, JSON.stringify(asked));
  }
  desk.disk.write('agents/one/failed/2026-01/bytes.md', Buffer.of(0, 1));
  desk.settle();
  expect(
    desk.events('controlled').map((each) => (each as { event: { id: string; refusal: unknown } }).event),
  ).toMatchObject([{ id: 'c1', refusal: { code: 'E_TARGET' } }]);
  expect(desk.disk.list(controlFolder)).toEqual([]);
  const refused = ['c0', 'c2', 'c3', 'c4', 'c5'].flatMap((id) => [`${id}.json`, `${id}.json.reason.txt`]);
  expect(desk.disk.list('.mailroom/refused')?.toSorted()).toEqual(refused);
  const told = [...desk.host.state.unread.values()].map(({ message }) => message.subject);
  expect(told.toSorted()).toEqual([
    ...['c0', 'c2', 'c3', 'c4', 'c5'].map((id) => `Refused: ${controlFolder}/${id}.json`),
    'Refused: retry bytes.md of one',
  ]);
});

it('lets no gate run out of time while no one knows what was said to it', () => {
  const desk = begin(definition);
  const host = hostOf(desk, definition, false);
  host.look();
  command(desk, 'c', 'approve', 'ship');
  refuse(desk, runControlFolder(run));
  desk.now += 5_000;
  host.look();
  expect(host.state.steps.get('ship')?.phase).toMatchObject({ is: 'asked' });
  expect(host.problem).toMatch(/^cannot list/);
  desk.disk.beforeRead = null;
  host.look();
  expect(host.problem).toBe(null);
  expect(host.state.status).toBe('SUCCEEDED');
});

it('starts no step again that ends while no one knows what people want', () => {
  const asks = workflow(step('make', [], { kind: 'command', argv: [template('true')], capabilities: null }));
  const desk = begin(asks);
  const started: string[] = [];
  const runner = {
    start: ({ key }: { readonly key: string }) => void started.push(key),
    stop: () => {},
    sweep: () => Promise.resolve(),
  };
  const host = hostOf(desk, asks, false, { runner });
  host.look();
  expect(started).toHaveLength(1);
  refuse(desk, runControlFolder(run));
  host.ended(started[0]!, exit());
  host.look();
  host.look();
  expect(started).toHaveLength(1);
  desk.disk.beforeRead = null;
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
  const desk = begin(asks);
  const list = () => {
    throw new MailroomError('E_DISK', 'cannot list .mailroom/parked');
  };
  const host = openHost(desk, asks, { parking: { list, park: list } });
  host.resume('person');
  expect(() => host.look()).not.toThrow();
  expect(host.problem).toBe('cannot list .mailroom/parked');
});
