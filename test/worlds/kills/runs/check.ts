import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { apply } from '../../../../src/workflow/machine/apply.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import { isIn } from '../../../../src/workflow/machine/fold/steps.ts';
import { emptyRunState, type RunState } from '../../../../src/workflow/machine/state.ts';
import { RealDisk } from '../../../../src/disk/real-disk.ts';
import { placeOf } from '../../../../src/workflow/files/layout.ts';
import { readRun } from '../../../../src/workflow/files/run-folders.ts';
import { runFolder } from '../../../../src/host/run-mail.ts';
import { historyOf } from '../history.ts';
import { secret, type Place } from '../place.ts';
import { Finished } from '../../simulation/runs/finished.ts';
import { checkHistory } from '../../simulation/runs/properties.ts';
import type { RunKind } from './kinds.ts';

/** What must hold when a run is over, looked at from outside: journal, files, what workers wrote down. */
export function checkPlace(kind: RunKind, place: Place, run: string, before: readonly RunEvent[]): string[] {
  let events: readonly RunEvent[];
  try {
    events = eventsOf(place, run);
  } catch (error) {
    return [`the journal cannot be read: ${String(error)}`];
  }
  const asked = place
    .read('asked.log')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
  return [
    ...checkKept(before, events),
    ...checkHistory(events),
    ...checkRepeated(events),
    ...checkAsked(asked, events),
    ...checkOrder(kind, asked),
    ...checkShown(place, run, events),
    ...checkWhole(place),
    ...checkMasked(place),
  ];
}

/** Every event of a run, also those that a snapshot has replaced. */
export function eventsOf(place: Place, run: string): RunEvent[] {
  return historyOf(place, runFolder(run));
}

/** What a start finds in the journal stays: it goes on behind it. */
function checkKept(before: readonly RunEvent[], events: readonly RunEvent[]): string[] {
  const kept = events.slice(0, before.length);
  return JSON.stringify(kept) === JSON.stringify(before) ? [] : ['the journal does not begin as it did'];
}

/** No step that has succeeded is started again. */
function checkRepeated(events: readonly RunEvent[]): string[] {
  const finished = new Finished();
  return events.flatMap((event) => {
    const again = event.type === 'started' && finished.has(event.path);
    finished.saw([event]);
    return again ? [`${event.path} had succeeded, and was started again`] : [];
  });
}

/** Nobody is asked for what the journal does not know, hooks and turns once. */
function checkAsked(asked: readonly (readonly string[])[], events: readonly RunEvent[]): string[] {
  const known = new Set<string>();
  events.reduce((state, event) => {
    const next = apply(state, event);
    for (const [path, run] of next.steps)
      if (isIn(run, 'running')) known.add(`${path}@${String(run.iteration)}.${String(run.attempt)}`);
    return next;
  }, emptyRunState());
  const once = asked.filter(([what]) => what === 'hook' || what === 'turn').map((words) => words.join(' '));
  return [
    ...asked.flatMap(([what, key = '', check]) =>
      what === 'asked' && check === '' && !known.has(key)
        ? [`${key} was asked, and the journal does not know it`]
        : [],
    ),
    ...once.filter((line, index) => once.indexOf(line) < index).map((line) => `${line} came twice`),
  ];
}

/** Everything is done, and nothing again once what comes after it was asked. */
function checkOrder({ done }: RunKind, asked: readonly (readonly string[])[]): string[] {
  const over = new Set(asked.flatMap(([what, path = '']) => (what === 'over' ? [path] : [])));
  const begins = asked.flatMap(([what, key = '']) => (what === 'asked' ? [key.replace(/@.*/, '')] : []));
  return Object.entries(done).flatMap(([path, earlier]) => {
    const first = begins.indexOf(path);
    const again = earlier.filter((other) => first !== -1 && begins.lastIndexOf(other) > first);
    return [
      ...(over.has(path) ? [] : [`${path} was not done`]),
      ...again.map((other) => `${other} was asked again after ${path}`),
    ];
  });
}

/** What lies in the context folder, or in the folder of a run that has none, is what the journal says. */
function checkShown(place: Place, run: string, events: readonly RunEvent[]): string[] {
  const state = events.reduce(apply, emptyRunState());
  const stored = readRun(new RealDisk(place.root), run);
  if (stored === null) return ['the run is not there'];
  const shown = stored.definition.contextDir === null ? `.mailroom/runs/${run}/shown` : 'context';
  const wrong = statusesOf(state).filter(([path, status]) => {
    const { folder } = placeOf(stored.definition, path);
    return statusIn(place.read(`${shown}/${folder}/_meta.json`)) !== status;
  });
  return [
    ...wrong.map(([path, status]) => `_meta.json of ${path} does not say ${status}`),
    ...(statusIn(place.read(`${shown}/_workflow.json`)) === state.status
      ? []
      : [`_workflow.json does not say ${state.status}`]),
  ];
}

function statusesOf(state: RunState): (readonly [string, string])[] {
  return [...state.steps].flatMap(([path, run]) =>
    isIn(run, 'settled') ? [[path, run.phase.status] as const] : [],
  );
}

function statusIn(text: string): unknown {
  return text === '' ? null : (JSON.parse(text) as { status: unknown }).status;
}

/** Every artifact has both of its files, and nothing half written is left anywhere. */
function checkWhole(place: Place): string[] {
  const names = readdirSync(place.root, { recursive: true, encoding: 'utf8' });
  const halves = names
    .filter((name) => /^context\/(.*\/)?(made|got)$/.test(name))
    .filter((name) => ['a.txt', 'b.txt'].some((file) => place.read(`${name}/${file}`) !== '1\n'));
  const left = names.filter((name) => /(^|\/)\.[^/]+\.(new|old|mailroom-tmp)$/.test(name));
  return [...halves.map((name) => `half of ${name}`), ...left.map((name) => `${name} is left over`)];
}

/** A secret that a worker was given and handed over lies in no file of ours. */
function checkMasked(place: Place): string[] {
  return ['.mailroom', 'context']
    .filter((folder) => place.list(folder).length > 0)
    .flatMap((folder) =>
      readdirSync(join(place.root, folder), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => relative(place.root, join(each.parentPath, each.name)))
        .filter((path) => place.read(path).includes(secret))
        .map((path) => `${path} holds a secret`),
    );
}
