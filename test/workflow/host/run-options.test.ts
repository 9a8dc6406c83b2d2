import { describe, expect, it } from 'vitest';
import type { ValueType } from '../../../src/workflow/model.ts';
import { parseBudget, readParameters } from '../../../src/workflow/runs/parameters.ts';
import { refuseAbove } from '../../../src/workflow/runs/plan.ts';
import { anyValue, graph, workflow } from '../machine/graph.ts';

/*
 * What a person says on the command line when a run begins.
 */

describe('--max-usd', () => {
  const twice = workflow(graph('a : agent=claude retry=1'));
  const data = (usd: number | null, limit: number | null = null) => ({
    estimate: () => ({ usd, tokens: null, price: null }),
    budget: { usd: limit, tokens: null },
    parameters: {},
    slots: 1,
  });

  it('starts nothing whose worst case may cost more', () => {
    expect(() => refuseAbove(5.99, twice, data(3))).toThrow(
      expect.objectContaining({
        code: 'E_BUDGET',
        message: 'test is not started: it may cost up to $6.00, and --max-usd is $5.99',
      }),
    );
    expect(() => refuseAbove(6, twice, data(3))).not.toThrow();
  });

  it('takes the budget of the run for the worst case where that is less', () => {
    expect(() => refuseAbove(2, twice, data(3, 2))).not.toThrow();
    expect(() => refuseAbove(2, twice, data(null, 2))).not.toThrow();
  });

  it('counts the items of a loop over a parameter, and of one inside', () => {
    const loops = workflow(
      graph('each : each=parameters.xs\n  in : each=parameters.xs\n    a : agent=claude'),
    );
    const given = (...xs: string[]) => ({ ...data(1), parameters: { xs } });
    expect(() => refuseAbove(4, loops, given('a', 'b'))).not.toThrow();
    expect(() => refuseAbove(4, loops, given('a', 'b', 'c'))).toThrow('it may cost up to $9.00');
    expect(() => refuseAbove(4, loops, data(1))).toThrow('its maximum cost is unknown');
  });

  it('starts nothing of which its maximum cost is unknown, and says which step it is', () => {
    expect(() => refuseAbove(1_000, twice, data(null))).toThrow(
      expect.objectContaining({
        code: 'E_BUDGET',
        message: expect.stringContaining('its maximum cost is unknown: a: '),
      }),
    );
  });
});

describe('--param', () => {
  const types: Record<string, ValueType> = {
    feature: { ...anyValue, type: 'string', required: true },
    count: { ...anyValue, type: 'integer', default: 3 },
    dry: { ...anyValue, type: 'boolean', default: false },
    mode: { ...anyValue, type: 'string', enum: ['fast', 'slow'], default: 'fast' },
  };

  it('gives values of their types; what is not given is the default', () => {
    const given = [
      ['feature', '12'],
      ['dry', 'true'],
    ] as const;
    expect(readParameters(types, given)).toEqual({ feature: '12', count: 3, dry: true, mode: 'fast' });
  });

  it('is refused for every problem at once', () => {
    const given = [
      ['featur', 'auth'],
      ['count', 'many'],
      ['mode', 'medium'],
    ] as const;
    const problems =
      /`featur`.*; .*`count` must be an integer.*; .*`mode`.*"fast".*; .*`feature`.* is missing$/;
    expect(() => readParameters(types, given)).toThrow(
      expect.objectContaining({ code: 'E_USAGE', message: expect.stringMatching(problems) }),
    );
  });

  it('is JSON for a list or a mapping, and says so', () => {
    const structured: Record<string, ValueType> = {
      langs: { ...anyValue, type: 'array', required: true },
      sizes: { ...anyValue, type: 'object', default: {} },
    };
    expect(readParameters(structured, [['langs', '["a"]']])).toEqual({ langs: ['a'], sizes: {} });
    const given = [
      ['langs', 'a,b'],
      ['sizes', 'a=1'],
    ] as const;
    expect(() => readParameters(structured, given)).toThrow(
      'the parameter `langs` must be an array, not a,b; write it as JSON: \'["a", "b"]\'; ' +
        'the parameter `sizes` must be an object, not a=1; write it as JSON: \'{"a": 1}\'',
    );
  });

  it('is matched by the syntax of patterns in definitions, RE2', () => {
    const tagged: Record<string, ValueType> = {
      tag: { ...anyValue, type: 'string', pattern: String.raw`(?i)^v\d+$`, required: true },
    };
    expect(readParameters(tagged, [['tag', 'V1']])).toEqual({ tag: 'V1' });
    expect(() => readParameters(tagged, [['tag', '1']])).toThrow(
      'the parameter `tag` must be a string that matches (?i)^v\\d+$, not 1',
    );
  });

  it('is reported in the words of the language', () => {
    expect(() => readParameters(types, [['x', '1']], 'input')).toThrow(
      expect.objectContaining({
        message: 'there is no input `x`; the input `feature` (a string) is missing',
        hint: expect.stringMatching(/^the inputs are feature, .*; one is given as --input feature=…$/),
      }),
    );
  });
});

describe('--budget', () => {
  it.each([
    ['usd=10', { usd: 10, tokens: null }],
    ['tokens=2M', { usd: null, tokens: 2_000_000 }],
    ['usd=0.5, tokens=500k', { usd: 0.5, tokens: 500_000 }],
    ['msats=1000', { usd: null, tokens: null, units: 1000 }],
  ])('%s is %j', (text, budget) => {
    expect(parseBudget(text)).toEqual(budget);
  });

  it.each(['', '10', 'usd', 'usd=', 'usd=-1', 'usd=1e3', 'eur=1', 'usd=1;tokens=2', 'msats=1.5'])(
    'is not %j',
    (text) => {
      expect(() => parseBudget(text)).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
    },
  );
});
