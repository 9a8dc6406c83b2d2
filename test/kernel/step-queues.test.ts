import { expect, it } from 'vitest';
import { stepQueue, takerOf, takerOfKind } from '../../src/kernel/step-queues.ts';

it('gives the steps of each agent, and commands, a queue of their own for each set of labels', () => {
  const queues = [
    stepQueue('claude', []),
    stepQueue('codex', []),
    stepQueue('codex', ['gpu', 'linux']),
    stepQueue(null, ['gpu', 'linux']),
    stepQueue(null, []),
  ];
  expect(new Set(queues).size).toBe(5);
  expect(stepQueue(null, ['linux', 'gpu', 'linux'])).toBe(queues[3]);
  const [agents, commands] = [takerOfKind('agents'), takerOfKind('commands')];
  expect(queues.map(takerOf)).toEqual([agents, agents, agents, commands, commands]);
  expect(takerOf('engineer')).toBe('engineer');
});
