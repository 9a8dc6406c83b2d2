import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import { noMemory } from '../../../src/workflow/machine/triggers/memory.ts';
import type { TriggersMemory } from '../../../src/letters/letters.ts';
import type { Trigger } from '../../../src/workflow/automation.ts';
import { WorkflowTriggers } from '../../../src/workflow/triggers/host.ts';

const hook: Trigger = { name: 'hook', kind: 'webhook', path: '/h', secret: 'KEY' };
const told: Trigger = { name: 'told', kind: 'message', role: 'maker', type: 'task' };
const poll: Trigger = { name: 'poll', kind: 'command', argv: ['date'], every: 60_000, on: 'change' };
const problem = 'cannot write .mailroom/triggers/x.json: not a directory';

/** Triggers of a workflow on a disk that has this memory, and that refuses to write it while `refuses`. */
function triggersWith(kept: TriggersMemory, ...all: Trigger[]) {
  const world = {
    refuses: true,
    now: 1_000,
    kept,
    ran: [] as string[],
    polled: 0,
  };
  const host = new WorkflowTriggers(
    { file: 'workflows/w.yaml', triggers: all },
    {
      clock: { now: () => world.now },
      newId: () => `run-${String(world.now)}`,
      next: () => null,
      said: () => null,
      memory: {
        read: () => world.kept,
        write: (_file, memory) => {
          if (world.refuses) throw new MailroomError('E_DISK', problem);
          world.kept = memory;
        },
      },
      files: () => new Map(),
      writing: () => [],
      poll: () => {
        world.polled += 1;
        return Promise.resolve(null);
      },
      run: (_file, run) => {
        world.ran.push(run);
        return new Promise(() => {});
      },
      cancel: () => true,
      wake: () => {},
      failed: (error) => {
        throw error;
      },
    },
  );
  return { world, host };
}

function triggers(...all: Trigger[]) {
  return triggersWith(noMemory, ...all);
}

describe('a run that the memory of triggers says is going', () => {
  const going = { run: 'planted', trigger: 'hook', at: 1, count: 1, data: {} };

  it('continues where it was there at the start', () => {
    const { world, host } = triggersWith({ going, triggers: {} }, hook);
    world.refuses = false;
    host.look();
    expect(world.ran).toEqual(['planted']);
  });

  it('is not begun where another program writes it there later', () => {
    const { world, host } = triggers(hook);
    world.refuses = false;
    world.kept = { going, triggers: {} };
    host.look();
    expect(world.ran).toEqual([]);
    expect(host.memory.going).toBeNull();
  });
});

describe('triggers whose memory the disk refuses', () => {
  it('start nothing and end nothing, say why, and continue when it is accepted', () => {
    const { world, host } = triggers(hook);
    expect(() => host.ask(hook, {})).toThrow(problem);
    expect(host.look()).toBe(3_000);
    expect([host.problem, world.ran]).toEqual([problem, []]);
    world.refuses = false;
    world.now = 3_000;
    host.look();
    expect([host.problem, world.ran]).toEqual([null, ['run-1000']]);
    expect(world.kept.going?.run).toBe('run-1000');
  });

  it('let the mail continue that they hear of', () => {
    const { world, host } = triggers(told);
    const message = { type: 'task', to: ['maker'] } as unknown as Message;
    expect(() => host.received(message)).not.toThrow();
    expect(host.problem).toBe(problem);
    world.refuses = false;
    host.look();
    expect(world.ran).toEqual(['run-1000']);
  });

  it('poll when it is accepted, and not an interval later', () => {
    const { world, host } = triggers(poll);
    host.look();
    expect(world.polled).toBe(0);
    world.refuses = false;
    world.now = 3_000;
    host.look();
    expect(world.polled).toBe(1);
  });
});
