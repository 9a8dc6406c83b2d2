import { describe, expect, it } from 'vitest';
import { agents, fixture } from './samples.ts';

function calls(name: string, sample: string) {
  return agents.find((agent) => agent.name === name)?.provider.calls?.(fixture(name, sample).stdout);
}

describe('the calls of a model', () => {
  it.each(['claude', 'opencode', 'pi', 'agy'])('are counted one by one for %s', (name) => {
    expect(calls(name, 'text')).toEqual({ inputs: [1000], output: 50 });
    expect(calls(name, 'tests')).toEqual({ inputs: [1000, 1000], output: 100 });
  });

  it('are counted for claude once for each answer, whose output only the result has', () => {
    const used = { input_tokens: 5, cache_read_input_tokens: 70, cache_creation_input_tokens: 25 };
    const answer = (id: string) =>
      JSON.stringify({ type: 'assistant', message: { id, usage: { ...used, output_tokens: 1 } } });
    const lines = [answer('a'), answer('a'), answer('b')];
    const read = agents.find(({ name }) => name === 'claude')?.provider.calls;
    expect(read?.(lines.join('\n'))).toEqual({ inputs: [100, 100], output: 2 });
    const result = JSON.stringify({ type: 'result', usage: { output_tokens: 640 } });
    expect(read?.([...lines, result].join('\n'))).toEqual({ inputs: [100, 100], output: 640 });
  });

  it('are none where no answer came', () => {
    expect(calls('claude', 'status-401')?.inputs.filter((input) => input > 0)).toEqual([]);
    expect(calls('opencode', 'status-401')).toEqual({ inputs: [], output: 0 });
  });

  it.each(['codex', 'gemini'])('are not reported by %s, which reports their sum', (name) => {
    expect(calls(name, 'text')).toBeUndefined();
  });
});
