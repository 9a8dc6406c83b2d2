import { signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Problem, read } from '../api/client.ts';
import type { Changed } from '../api/events.ts';
import { Pace } from './pace.ts';
import { past, pathThen } from './past.ts';

/** A document of the API that is read again whenever the project changes. */
export interface Live<T> {
  /** Null: it has not arrived yet. It stays while a newer one cannot be read. */
  readonly value: Signal<T | null>;
  readonly problem: Signal<Problem | null>;
}

interface Entry extends Live<unknown> {
  users: number;
  tag: string | null;
  /** A request is in progress; `again`: something has changed since it was sent. */
  busy: boolean;
  again: boolean;
}

const entries = new Map<string, Entry>();
/** The number of unused documents that are kept to show at once when a person comes back. */
const kept = 40;

/**
 * The document at a path of the API while the component is shown: of the shown moment, or always of
 * now. That of another moment stays until the new one has arrived. `of`: null asks for nothing.
 */
export function useLive<T>(of: string | null, when: 'shown' | 'now' = 'shown'): Live<T> {
  const path = of === null ? '' : pathThen(of, when === 'now' ? null : past.value);
  const entry = entryOf(path);
  const before = useRef<{ readonly of: string | null; readonly entry: Entry } | null>(null);
  const hasArrived = entry.value.value !== null || entry.problem.value !== null;
  if (hasArrived || before.current?.of !== of) before.current = { of, entry };
  useEffect(() => {
    if (path === '') return undefined;
    const used = entryOf(path);
    used.users += 1;
    refresh(path, used);
    return () => {
      used.users -= 1;
      forgetOldest();
    };
  }, [path]);
  return before.current.entry as Live<T>;
}

function entryOf(path: string): Entry {
  const found = entries.get(path);
  if (found !== undefined) return found;
  const entry = {
    value: signal(null),
    problem: signal(null),
    users: 0,
    tag: null,
    busy: false,
    again: false,
  };
  entries.set(path, entry);
  return entry;
}

function forgetOldest(): void {
  const unused = [...entries].filter(([, { users }]) => users === 0);
  for (const [path] of unused.slice(0, Math.max(0, unused.length - kept))) entries.delete(path);
}

function refresh(path: string, entry: Entry): void {
  if (entry.busy) entry.again = true;
  else void load(path, entry);
}

async function load(path: string, entry: Entry): Promise<void> {
  entry.busy = true;
  do {
    entry.again = false;
    try {
      const { document, tag } = await read(path, entry.tag);
      if (document !== null) [entry.value.value, entry.tag] = [document, tag];
      entry.problem.value = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      entry.problem.value = error;
    }
  } while (entry.again);
  entry.busy = false;
}

/** Nothing that happens in the project changes it. */
const session = '/session';
/** What mail and runs do not change: the definitions of the project, its past, and its commits. */
const ofProject = /^\/(?:protocol|workflows)\b|\/(?:definition|diff)$|[?&]at=/;
/** Runs change it, and mail does not: it has the last run of each workflow. */
const workflows = '/workflows';

const pace = new Pace();
let timer: ReturnType<typeof setTimeout> | undefined;

/** True: everything may have changed. */
let isAll = false;
/** Changes were missed. */
let isGap = false;
/** A run has changed. */
let isRun = false;

/** Changes when the files that people edit may have changed. */
export const edition = signal(0);

/** Reads what is shown and may have changed again, when its pace lets it. */
export function refreshAll(what: Changed): void {
  if (what === 'run') isRun = true;
  else if (what !== 'mail') isAll = true;
  if (what === null) isGap = true;
  const now = performance.now();
  const due = pace.changed(what !== 'project', now);
  if (due === null) return;
  clearTimeout(timer);
  timer = setTimeout(readChanged, due - now);
}

/** Milliseconds between two looks of a hidden tab at what needs a person. */
const glance = 15_000;

setInterval(() => {
  const inbox = entries.get('/inbox');
  if (document.hidden && inbox !== undefined && inbox.users > 0) refresh('/inbox', inbox);
}, glance);

function readChanged(): void {
  const isOf = (path: string) => {
    if (path === session) return isGap;
    return isAll || (isRun && path === workflows) || !ofProject.test(path);
  };
  pace.read(performance.now());
  for (const [path, entry] of entries) if (entry.users > 0 && isOf(path)) refresh(path, entry);
  if (isAll) edition.value += 1;
  [isAll, isRun, isGap] = [false, false, false];
}
