import { describe, expect, it } from 'vitest';
import { namedProvider } from '../../src/providers/index.ts';
import { agents, environment, exit, fixture, invocation, now } from './samples.ts';
import type { Provider } from '../../src/providers/provider.ts';

const names = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'agy'] as const;

function agent(name: string): Provider {
  const found = agents.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found.provider;
}

function finishOf(provider: Provider) {
  const { finish } = provider.start(invocation());
  if (finish === undefined) throw new Error('it has no final event');
  return finish;
}

const lines = (name: string, sample: string) => fixture(name, sample).stdout.split(/(?<=\n)/);

/** After how many lines of its output it has finished, from the end: 1 is the last one. */
function finishedFromEnd(name: string, sample: string): number {
  const { isFinal } = finishOf(agent(name));
  const said = lines(name, sample).map((line) => isFinal(line));
  return said.length - said.lastIndexOf(false) - 1;
}

describe('the final event of an agent CLI', () => {
  it.each(names.flatMap((name) => ['text', 'edit-outbox', 'limit'].map((sample) => [name, sample] as const)))(
    'of %s in %s is the last line, and none before',
    (name, sample) => {
      expect(finishedFromEnd(name, sample)).toBe(1);
    },
  );

  it.each(names)('of %s is found in pieces, and without the end of its line', (name) => {
    const { isFinal } = finishOf(agent(name));
    const text = lines(name, 'text').join('').trimEnd();
    const pieces = text.match(/[^]{1,7}/g) ?? [];
    const said = pieces.map((piece) => isFinal(piece));
    expect(said.filter(Boolean)).toHaveLength(1);
    expect(said.at(-1)).toBe(true);
  });

  it.each(names)('of %s does not count any more once it works again', (name) => {
    const { isFinal } = finishOf(agent(name));
    const all = lines(name, 'edit-outbox').join('');
    expect(isFinal(all)).toBe(true);
    expect(isFinal('not JSON\n{"type":"telemetry"}\n')).toBe(true);
    const again = lines(name, 'edit-outbox').slice(0, -1).join('');
    expect(isFinal(again)).toBe(false);
    expect(isFinal(all)).toBe(true);
  });

  it('is the result that the program for ACP prints', () => {
    const config = {
      name: 'goose',
      kind: 'acp',
      command: null,
      arguments: [],
      env: [],
      writable: [],
    } as const;
    const { isFinal } = finishOf(namedProvider({ ...config, tests: null, prices: null }, environment));
    expect(isFinal('{"type":"text","text":"result"}\n')).toBe(false);
    expect(isFinal('{"type":"result","stop":"end_turn","error":null}\n')).toBe(true);
  });

  it('does not exist for a program of your own, which exits', () => {
    const config = {
      name: 'mine',
      kind: 'command',
      command: ['x'],
      arguments: [],
      env: [],
      writable: [],
    } as const;
    const mine = namedProvider({ ...config, tests: null, prices: null, exitGrace: 5 }, environment);
    expect(mine.start(invocation()).finish).toBeUndefined();
  });

  it('gives ten seconds to exit, or what its provider says', () => {
    expect(finishOf(agent('claude')).graceMs).toBe(10_000);
    const config = {
      name: 'claude',
      kind: 'claude',
      command: null,
      arguments: [],
      env: [],
      writable: [],
    } as const;
    const patient = namedProvider({ ...config, tests: null, prices: null, exitGrace: 60_000 }, environment);
    expect(finishOf(patient).graceMs).toBe(60_000);
    const words = 'claude printed its final event, did not exit within 1m, and was ended';
    const lingered = exit({ ...fixture('claude', 'text'), ended: 'lingered' });
    expect(patient.read(lingered, invocation(), now)).toMatchObject({ is: 'done', warnings: [words] });
  });

  it.each(names)('decides the outcome of %s when it did not exit', (name) => {
    const read = (sample: string, ended: 'exited' | 'lingered') =>
      agent(name).read(exit({ ...fixture(name, sample), code: 0, ended }), invocation(), now);
    expect(read('text', 'lingered')).toMatchObject(read('text', 'exited'));
    const failed = read('limit', 'lingered');
    expect(failed).toMatchObject({ is: 'later', class: 'RETRYABLE_RATE_LIMIT' });
    expect(failed).toHaveProperty('reason.text', expect.stringContaining('printed its final event'));
  });
});
