import { describe, expect, it } from 'vitest';
import { partCostsCsv, partCostsOf, type PartLaunch } from '../../../src/mail/questions/part-costs.ts';

/** Two calls: 1,000 tokens of system prompt and tools, 40 of orders, 60 of mail, 200 that it read. */
function launch(changes: Partial<PartLaunch> = {}): PartLaunch {
  return {
    counts: true,
    tokens: 2430,
    session: 's1',
    resumed: false,
    prompt: { role: 40, mail: 60 },
    calls: { inputs: [1100, 1300], output: 30 },
    ...changes,
  };
}

function tokens(launches: readonly PartLaunch[], total: number) {
  const cost = { usd: 1, tokens: total, unpriced: 0 };
  const { rows } = partCostsOf(launches, null, { launches: 3, cost });
  expect(rows.reduce((sum, row) => sum + row.tokens, 0)).toBe(total);
  return Object.fromEntries(rows.map((row) => [row.part, row.tokens]));
}

const first = { system: 2000, role: 80, mail: 120, files: 200, answers: 30, unknown: 0 };

describe('what tokens were used for', () => {
  it('counts again what each call reads again', () => {
    expect(tokens([launch()], 2430)).toEqual(first);
  });

  it('knows nothing of what the launches do not explain', () => {
    expect(tokens([], 500)).toMatchObject({ system: 0, unknown: 500 });
    expect(tokens([launch()], 3000)).toEqual({ ...first, unknown: 570 });
    expect(tokens([launch({ tokens: 2500 })], 2500)).toEqual({ ...first, unknown: 70 });
  });

  it('counts in a resumed conversation what it had', () => {
    const resumed = launch({
      tokens: 1620,
      resumed: true,
      prompt: { role: 20, mail: 80 },
      calls: { inputs: [1600], output: 20 },
    });
    expect(tokens([launch(), resumed], 4050)).toEqual({
      system: 3000,
      role: 140,
      mail: 260,
      files: 600,
      answers: 50,
      unknown: 0,
    });
  });

  it('uses the beginning of a conversation that is not counted itself', () => {
    const before = launch({ counts: false });
    const resumed = launch({ resumed: true, prompt: { role: 0, mail: 0 } });
    expect(tokens([before, resumed], 2430)).toEqual(first);
  });

  it('knows only prompt and answers of a conversation whose beginning is gone', () => {
    const resumed = launch({ resumed: true });
    expect(tokens([resumed], 2430)).toEqual({
      system: 0,
      role: 80,
      mail: 120,
      files: 0,
      answers: 30,
      unknown: 2200,
    });
  });

  it('believes no calls that are more than was reported', () => {
    expect(tokens([launch({ tokens: 2429 })], 2429)).toMatchObject({ system: 0, answers: 0, unknown: 2429 });
  });

  it('leaves out what the costs do not have', () => {
    expect(tokens([launch(), launch({ session: 's2' })], 3000)).toEqual({ ...first, unknown: 570 });
  });

  it('gives a prompt no more than its calls have', () => {
    const prompt = { role: 5000, mail: 60 };
    expect(tokens([launch({ prompt })], 2430)).toMatchObject({ system: 0, role: 2280, mail: 120, files: 0 });
  });

  it('says what is estimated, and the shares', () => {
    const cost = { usd: 1, tokens: 2430, unpriced: 0 };
    const found = partCostsOf([launch()], '2026-11-21', { launches: 1, cost });
    expect(found).toMatchObject({
      schema: 1,
      by: ['part'],
      since: '2026-11-21',
      total: { launches: 1, cost },
    });
    expect(found.rows[4]).toEqual({ part: 'answers', tokens: 30, share: 30 / 2430, estimated: false });
    expect(partCostsCsv(found).split('\r\n').slice(0, 2)).toEqual([
      'part,tokens,share,estimated',
      `system,2000,${String(2000 / 2430)},true`,
    ]);
    expect(partCostsOf([], null, { launches: 0, cost: { ...cost, tokens: 0 } }).rows[0]?.share).toBe(0);
  });
});
