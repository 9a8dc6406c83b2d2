import { expect } from 'vitest';
import { definitionTemplate } from '../../../src/extensions/nip/language/defining.ts';
import {
  kinds,
  tagOf,
  type EventTemplate,
  type NostrEvent,
} from '../../../src/extensions/nip/letters/nostr-event.ts';
import { checkInputs, isReplayed, readAsked } from '../../../src/extensions/nip/nostr/request.ts';
import { requestEvent, unpublished } from '../../../src/extensions/nip/nostr/execution-events.ts';
import { definitionEventOf } from '../../../src/extensions/nip/language/event.ts';
import { parseValue } from '../../../src/workflow/machine/parameters.ts';
import { nip } from './language/nip.ts';
import { World } from '../../workflow/machine/world.ts';
import { heldBy, type Rows } from '../../docs/held.ts';

/*
 * What the table of docs/languages/nip.md says of each construct, as something that can be seen to happen.
 */

const tools = 'define, execute and ask, with the names and answers of the page';
const commands = 'define a workflow, execute it by its id, and tell how it stands';

const text = ['input', 'text', 'string', 'true'];
const a = ['step', 'a', '5200', 'output:one'];
const b = ['step', 'b', '5200', 'output:two'];
const size = { long: true, n: 5, list: [7] };

/** What `b` is given with these parts, after `a` has made `size`. */
function given(...parts: string[]): unknown {
  const tags = [['step', 'a', '5200', 'output:size'], [...b, ...parts], ['edge', 'a', 'b'], text];
  const world = new World(nip(...tags), { given: { parameters: { text: 'hello' } } });
  world.done('a', { values: { size } });
  const { work } = world.launch('b');
  return JSON.parse(/```json\n(.*)\n```$/s.exec(work.kind === 'role' ? work.instructions : '')?.[1] ?? '');
}

/** Whether `b` runs behind this condition, after `a` has made `size`. */
function runs(...condition: string[]): boolean {
  const world = new World(nip(['step', 'a', '5200', 'output:size'], b, ['edge', 'a', 'b', ...condition]));
  world.done('a', { values: { size } });
  return world.running.includes('b');
}

/** How a run of `a`, then `b`, stands after `a` has failed so often. */
function failed(times: number, ...parts: string[]): string {
  const world = new World(nip([...a, ...parts], b, ['edge', 'a', 'b']));
  for (let time = 0; time < times; time += 1) {
    world.fails('a');
    world.pass(30_000);
  }
  return `${world.statuses}: ${world.state.status}`;
}

function refused(...tags: readonly string[][]): string {
  try {
    nip(...tags);
  } catch (error) {
    return String(error);
  }
  return 'nothing';
}

/** Who does the steps that run at once. */
function rolesOf(...ids: string[]): (string | null)[] {
  const world = new World(nip(...ids.map((id) => ['step', id, '5100', `output:${id}`])));
  return ids.map((id) => {
    const { work } = world.launch(id);
    return work.kind === 'role' ? work.role : null;
  });
}

export const rows: Rows = {
  '`["d", id]`, `["name", name]`': () => {
    expect(nip(a).name).toBe('Sample');
    expect(refused(a, ['d', 'more'])).toContain('there are two tags `d`');
  },
  '`["version", text]`': () => {
    expect([nip(a).version, nip(a, ['version', '1.0']).version]).toEqual(['1.0.0', '1.0']);
  },
  '`["input", name, type, required]`': () => {
    const { parameters } = nip(a, text, ['input', 'n', 'number', 'false']);
    expect(parameters).toMatchObject({ text: { type: 'string', required: true }, n: { required: false } });
    expect(refused(a, ['input', 'x', 'list', 'true'])).toContain('`list` is not a type of an input');
    for (const n of ['1e400', '9007199254740993']) expect(parseValue(n, parameters['n']!)).toBeUndefined();
    expect(checkInputs({ inputs: { text: 'x', n: 2 ** 53 } }, parameters).problems).toEqual([
      'the input `n` holds a number beyond 9007199254740991, which is not exact',
    ]);
  },
  '`["output", name, type]`': () => {
    expect(refused(a, ['output', 'one', 'string'])).toBe('nothing');
    expect(refused(a, ['output', 'two', 'string'])).toContain('no step makes `two`');
  },
  '`["step", id, kind, …]`': () => {
    const parts = ['timeout:5', 'output:one', 'budget:7', 'policy:skip', 'input:x'];
    const step = (words: readonly string[]) => nip(['step', 'a', '5200', ...words]).body.steps[0];
    expect(step(parts.toReversed())).toEqual(step(parts));
  },
  '`input:<source>`, `input:<name>=<source>`': () => {
    expect(given('input:$input.text', 'input:how=$size.n')).toEqual({ text: 'hello', how: 5 });
  },
  '`input:$input.text`, `input:$made.list[0]`': () => {
    expect(given('input:x=$size.list[0]', 'input:y=$size.list[1]')).toEqual({ x: 7, y: null });
  },
  '`input:words`, `input:7`, `input:[1,2]`': () => {
    const literals = ['input:a=words', 'input:b=7', 'input:c=[1,2]'];
    expect(given(...literals)).toEqual({ a: 'words', b: 7, c: [1, 2] });
    expect(given('input:n=9007199254740993')).toEqual({ n: '9007199254740993' });
  },
  '`output:<name>`': () => {
    expect(nip(a).body.steps[0]?.values).toMatchObject({ one: { type: 'any', answer: true } });
    expect(refused(['step', 'a', '5200'])).toContain('nothing says what the result of the step is called');
  },
  '`timeout:<seconds>`': () => {
    expect(nip([...a, 'timeout:5']).body.steps[0]?.timeout).toBe(5_000);
    expect(nip(a).body.steps[0]?.timeout).toBeNull();
  },
  '`policy:abort`': () => {
    expect(failed(1)).toBe('a FAILED, b SKIPPED: FAILED');
  },
  '`policy:skip`': () => {
    expect(failed(1, 'policy:skip')).toBe('a SKIPPED, b RUNNING: RUNNING');
  },
  '`policy:retry`, `retries:<n>`': () => {
    expect(failed(2, 'policy:retry', 'retries:2')).toBe('a RUNNING, b PENDING: RUNNING');
    expect(failed(3, 'policy:retry', 'retries:2')).toBe('a FAILED, b SKIPPED: FAILED');
  },
  '`budget:<msats>`': () => {
    expect(nip([...a, 'budget:7']).body.steps[0]?.budget).toMatchObject({ units: 7 });
  },
  '`["edge", from, to, condition]`': () => {
    expect(runs('$size.long == true')).toBe(true);
    expect(runs('$size.long == false')).toBe(false);
  },
  '`always`': () => {
    expect([runs('always'), runs()]).toEqual([true, true]);
  },
  '`$.size.long == true`': () => {
    const holding = ['$.size.n == 5', '$.size.n != "5"', '$.size.n < 6', '$.size.n >= 5', '$.size.s != x'];
    expect(holding.map((condition) => runs(condition))).toEqual([true, true, true, true, true]);
    expect(runs('$.size.n < "6"')).toBe(false);
    expect(refused(a, b, ['edge', 'a', 'b', '$.one == 9007199254740993'])).toContain(
      'would be kept as 9007199254740992',
    );
  },
  '`&&`, `\\|\\|`, `!`, `( )`': () => {
    expect(runs('!($.size.n == 4 || $.size.n == 6) && $.size.long')).toBe(true);
  },
  'a path that leads nowhere': () => {
    const wrong = ['$.size.x', '$.size.x < 1', '$.size.x > 1', '$.size.x.y == 1'];
    expect(wrong.map((condition) => runs(condition))).toEqual([false, false, false, false]);
    expect(runs('$.size.x == null')).toBe(true);
  },
  '`$..a`, `$.a[*]`, `$.a[?…]`, `$.a[-1]`': () => {
    for (const path of ['$..one', '$.one[*]', '$.one[?(@.x)]', '$.one[-1]'])
      expect(refused(a, b, ['edge', 'a', 'b', path])).toMatch(/unexpected|names no single value/);
  },
  'no edge at a step, a circle, unknown steps': () => {
    const c = ['step', 'c', '5200', 'output:three'];
    expect(refused(a, b, c, ['edge', 'a', 'b'])).toContain('no edge leads to or from `c`');
    expect(refused(a, b, ['edge', 'a', 'b'], ['edge', 'b', 'a'])).toContain(
      'these steps wait for each other',
    );
    expect(refused(a, ['edge', 'a', 'x'])).toContain('no step is called `x`');
    expect(new World(nip(a, b, c)).running).toEqual(['a', 'b', 'c']);
  },
  'several roles that list a kind': () => {
    expect(rolesOf('x', 'y', 'z', 'w')).toEqual(['one', 'two', 'three', 'one']);
  },
  'a kind that no role lists': () => {
    expect(refused(['step', 'a', '5900', 'output:one'])).toContain('no role does tasks of kind 5900');
  },
  '`id`, `pubkey`, `sig`': () => {
    const event = { kind: 30_920, created_at: 1, tags: [a], content: '' };
    expect(definitionEventOf(JSON.stringify(event), 0)).toEqual(event);
    const signed = { ...event, id: 'i', pubkey: 'p', sig: 's' };
    expect(definitionEventOf(JSON.stringify(signed), 0)).toEqual(signed);
  },
};

const told = 'extensions/nip/nip';
const overRelays = 'extensions/nip/nip-relays';
const following =
  'is followed once, for those who may ask, and answered there; everything else is refused with its reason';

const request: NostrEvent = {
  id: 'i',
  pubkey: 'p',
  sig: 's',
  kind: 5_920,
  created_at: 1,
  content: '',
  tags: [
    ['e', 'w', '', 'workflow'],
    ['d', 'r1'],
  ],
};

/** What is said of a run of `a`, then `b`, which has come so far; by the kind of the event. */
function saidOf(play: (world: World) => void, kind: number): EventTemplate[] {
  const world = new World(nip([...a, 'policy:skip'], b, ['edge', 'a', 'b']));
  play(world);
  const events = unpublished(world.state, world.rules, { id: 'r1', request }, []);
  return events.filter((event) => event.kind === kind);
}

const cancels = (world: World) => world.happens({ type: 'cancelled', by: 'ada', command: null });

export const skills: Rows = {
  '`define_workflow`': () => heldBy('extensions/nip/nip-tools', tools),
  '`execute_workflow`': () => heldBy('extensions/nip/nip-tools', tools, commands),
  '`workflow_status`': () => heldBy('extensions/nip/nip-tools', tools, commands),
  '`list_workflows`': () =>
    heldBy('extensions/nip/nip-tools', 'list what can be run and what was, and cancel a run'),
  '`list_runs`': () =>
    heldBy('extensions/nip/nip-tools', 'list what can be run and what was, and cancel a run'),
  '`cancel_workflow`': () =>
    heldBy('extensions/nip/nip-tools', 'list what can be run and what was, and cancel a run'),
};

export const events: Rows = {
  '30920': () => heldBy(told, 'says in signed events what is asked, what each step gave, and how it stands'),
  '5920': () => {
    const definition = { ...request, id: 'w' };
    const inputs = { text: 'a' };
    const asked = { definition, execution: 'r1', inputs, msats: 5, timeout: 60_000, at: 1_000 };
    expect(readAsked({ ...request, ...requestEvent(asked) })).toEqual({
      ok: true,
      value: { definition: 'w', execution: 'r1', inputs, msats: 5, timeout: 60_000 },
    });
    heldBy(told, 'says in signed events what is asked, what each step gave, and how it stands');
  },
  '6920': () => {
    const [skipped, cancelled] = saidOf((world) => {
      world.fails('a');
      cancels(world);
    }, kinds.result);
    expect([skipped, cancelled].map((event) => event && tagOf(event, 'status'))).toEqual([
      'skipped',
      'cancelled',
    ]);
    const both = saidOf((world) => {
      world.done('a', { values: { one: { n: 1 } }, usd: 0 });
      world.fails('b', { class: 'NON_RETRYABLE' });
    }, kinds.result);
    expect(both.map((event) => tagOf(event, 'status'))).toEqual(['completed', 'failed']);
    const { tags, content } = both[0]!;
    expect(tags.map(([name]) => name)).toEqual([
      'e',
      'd',
      'step',
      'output',
      'status',
      'cost',
      'runtime',
      'p',
    ]);
    expect([content, tagOf({ tags }, 'output'), tagOf({ tags }, 'runtime')]).toEqual(['{"n":1}', 'one', '0']);
  },
  '7920': () => {
    const status = (play: (world: World) => void) => {
      const [event] = saidOf(play, kinds.status);
      return event?.tags.slice(2).map((tag) => tag.join(' '));
    };
    expect(status((world) => world.done('a'))).toEqual([
      'status running',
      'progress 1 2',
      'cost 0',
      'step b',
      'p p',
    ]);
    const progress = (play: (world: World) => void) => status((world) => [world.done('a'), play(world)])?.[1];
    expect([progress(cancels), progress((world) => world.done('b'))]).toEqual([
      'progress 1 2',
      'progress 2 2',
    ]);
    const ended = (play: (world: World) => void) => status((world) => [world.done('a'), play(world)])?.[0];
    expect(ended((world) => world.done('b'))).toBe('status completed');
    expect(ended((world) => world.fails('b', { class: 'NON_RETRYABLE' }))).toBe('status failed');
    expect(ended(cancels)).toBe('status cancelled');
  },
};

export const refusals: Rows = {
  'of another author, or with an invalid signature': () => heldBy(overRelays, following),
  'that is addressed to others, or that others execute or have executed': () =>
    heldBy(overRelays, 'is left to others that it is addressed to, that do it already, or have done it'),
  'that was executed, or whose `d` its author has used': () => {
    expect(isReplayed({ ...request, id: 'other' }, [request])).toBe(true);
    heldBy(overRelays, following);
  },
  'for more than `maxBudget` msats': () => {
    expect(readAsked(request, 500)).toMatchObject({ value: { msats: 500 } });
    heldBy(overRelays, following);
  },
  'while `maxConcurrentWorkflows` runs are active': () => heldBy(overRelays, following),
  'with an input that is missing, unknown or of another type': () => {
    const { parameters } = nip(a, text);
    const problems = [{}, { text: 'x', more: 1 }, { text: 5 }].map(
      (inputs) => checkInputs({ inputs }, parameters).problems,
    );
    expect(problems).toEqual([
      ['the input `text` (a string) is missing'],
      ['there is no input `more`'],
      ['the input `text` must be a string, not 5'],
    ]);
    heldBy(overRelays, following);
  },
};

export const differences: Rows = {
  'steps are delegated by NIP-XX2 to agents that are discovered': () => {
    expect(rolesOf('x')).toEqual(['one']);
  },
  'a step without a timeout has 30 s': () => {
    expect(nip(a).body.steps[0]?.timeout).toBeNull();
  },
  'ready steps run in rounds, each of which ends as a whole': () => {
    const c = ['step', 'c', '5200', 'output:three'];
    const world = new World(
      nip(a, b, c, ['edge', 'a', 'c'], ['edge', 'b', 'd'], ['step', 'd', '5200', 'output:four']),
    );
    world.done('a');
    expect(world.running).toEqual(['b', 'c']);
  },
  'every definition has edges': () => {
    expect(new World(nip(a, b)).running).toEqual(['a', 'b']);
  },
  'a condition is any JSONPath; one that cannot be evaluated is false': () => {
    for (const path of ['$.one[*]', '$.one ==', '$.oen'])
      expect(refused(a, b, ['edge', 'a', 'b', path])).not.toBe('nothing');
  },
  'the tag `e` of events holds the execution id': () => {
    const [event] = saidOf(() => {}, kinds.status);
    expect(event?.tags.slice(0, 2)).toEqual([
      ['e', request.id, '', 'execution'],
      ['d', 'r1'],
    ]);
  },
  'a status is published on every change': () =>
    heldBy(
      'extensions/nip/order',
      'holds back all but the newest of many `running` statuses, and no result, so that none is far ahead',
    ),
  'a step that has ended keeps what it has not spent of its reservation': () =>
    heldBy(
      'extensions/nip/language/credit',
      'is shared among the steps that are left, at most a step its cap',
    ),
  'requests have a bid, `execute_workflow` a budget': () => {
    expect(readAsked(request)).toMatchObject({ value: { msats: null } });
    expect(readAsked(request, 500)).toMatchObject({ value: { msats: 500 } });
  },
  '`define_workflow` is given edges, inputs and versions': () => {
    const step = { id: 'a', agentKind: 5_200, outputName: 'one' };
    expect(definitionTemplate({ name: 'A', steps: [step] }, 0).tags).toEqual([
      ['d', 'a'],
      ['name', 'A'],
      ['version', '1.0.0'],
      ['step', 'a', '5200', 'output:one'],
      ['output', 'one', 'any'],
    ]);
  },
  '`execute_workflow` fails where a run fails': () =>
    heldBy(
      'extensions/nip/nip-tools',
      'answer with an error where a run fails, and where a file of the project is wrong',
    ),
};
