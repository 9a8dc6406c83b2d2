import { expect, it } from 'vitest';
import { aboutWorker, Presence } from '../../../src/extensions/workers/worker/presence.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { Credentials } from '../../../src/extensions/workers/queue/credentials.ts';
import { sign } from '../../../src/extensions/workers/queue/signed.ts';
import { controllerKeys, workerKeys } from './credentials.ts';

const id = 'far.1';
const own = workerKeys('far');
const takes = { roles: [], steps: [], labels: [], slots: 1 };
const about = { host: 'far', id, login: 'far', version: 'test', since: 0, ...takes };

function order(what: string, at: number, by: Credentials = controllerKeys): Json {
  return sign(by, aboutWorker('order', id, 0), { do: what, at });
}

/** What a worker obeys that finds these orders in the queue, one after the other. */
async function obeyed(orders: readonly Json[]): Promise<string[]> {
  let found: Json = null;
  let running = 0;
  const all: string[] = [];
  const notes = {
    announce: () => Promise.resolve(),
    order: () => Promise.resolve(found),
    leave: () => Promise.resolve(),
  };
  const presence = new Presence(notes, { credentials: own, about, now: () => 0, elapsed: () => 0 });
  for (const given of orders) {
    found = given;
    const doing = [`t${String((running += 1))}/1/0`];
    presence.talk({ state: 'active', running: doing, parked: [] }, (what) => all.push(what));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

const [pause, unpause] = [order('pause', 1), order('unpause', 2)];

it.each<[string, readonly Json[], readonly string[]]>([
  ['that stays there', [pause, pause], ['pause']],
  ['that is old', [pause, unpause, pause], ['pause', 'unpause']],
  ['that was held back', [unpause, pause], ['unpause']],
  ['of a worker', [order('drain', 3, own)], []],
  ['of another worker', [order('drain', 3, workerKeys('near'))], []],
  ['of another project', [order('drain', 3, { ...controllerKeys, project: 'other' })], []],
  [
    'to another worker',
    [sign(controllerKeys, aboutWorker('order', 'near.1', 0), { do: 'drain', at: 3 })],
    [],
  ],
  [
    'that has expired',
    [sign(controllerKeys, { ...aboutWorker('order', id, 0), expires: -1 }, { do: 'drain', at: 3 })],
    [],
  ],
  ['without a time', [sign(controllerKeys, aboutWorker('order', id, 0), { do: 'drain' })], []],
  ['that is none', ['drain', null, 7, {}, [pause]], []],
])('obeys no order %s', async (...[, orders, expected]) => {
  expect(await obeyed(orders)).toEqual(expected);
});
