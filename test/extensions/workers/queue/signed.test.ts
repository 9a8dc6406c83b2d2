import { describe, expect, it } from 'vitest';
import { sign, verify, type About } from '../../../../src/extensions/workers/queue/signed.ts';
import { controllerCredentials } from '../../../../src/extensions/workers/queue/credentials.ts';
import { controllerKeys, workerKeys } from '../credentials.ts';

const worker = workerKeys('far');
const about: About = { kind: 'job', job: 't1', nonce: 'n1', expires: 1_000 };
const expected = { kind: 'job', job: 't1', nonce: 'n1', now: 1_000 } as const;
const body = { b: 1, a: [{ d: null, c: 'x' }] };
const job = sign(controllerKeys, about, body);

describe('a signed document', () => {
  it('counts until it expires, whatever the order of its keys', () => {
    const turned = Object.fromEntries(Object.entries(job).toReversed());
    for (const given of [job, turned])
      expect(verify(worker, given, expected)).toEqual({ ok: true, nonce: 'n1', body, by: null });
    expect(verify(worker, job, { ...expected, now: 1_001 })).toEqual({
      ok: false,
      problem: 'it has expired: the clocks of the hosts may differ',
      nonce: 'n1',
    });
  });

  it.each([
    ['of another kind', { kind: 'grant' }, 'it was signed for another job'],
    ['of another job', { job: 't2' }, 'it was signed for another job'],
    ['of an earlier job', { nonce: 'n0' }, 'it answers an earlier job'],
    ['without end', { expires: 'never' as unknown as number }, 'it has expired'],
  ] as const)('%s is refused, though its signature is right', (_, differs, problem) => {
    const given = sign(controllerKeys, { ...about, ...differs }, body);
    expect(verify(worker, given, expected)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('of another project is refused', () => {
    const elsewhere = controllerCredentials('the key of the controller in this test', 'another project');
    expect(verify(worker, sign(elsewhere, about, body), expected)).toMatchObject({ ok: false });
  });

  it.each(['body', 'expires', 'nonce', 'project'])('is refused where its `%s` was changed', (key) => {
    expect(verify(worker, { ...job, [key]: 2_000 }, expected)).toMatchObject({ ok: false, nonce: null });
  });

  it('counts only from the side that may sign it', () => {
    const result = { ...about, kind: 'result' } as const;
    const wanted = { ...expected, kind: 'result' } as const;
    expect(verify(controllerKeys, sign(worker, result, body), wanted)).toMatchObject({ ok: true, by: 'far' });
    expect(verify(controllerKeys, sign(controllerKeys, result, body), wanted)).toMatchObject({ ok: false });
    for (const kind of ['job', 'grant', 'order'] as const)
      expect(verify(worker, sign(worker, { ...about, kind }, body), { ...expected, kind })).toMatchObject({
        ok: false,
      });
    const { by: _, ...nameless } = sign(worker, result, body);
    expect(verify(controllerKeys, nameless, wanted)).toMatchObject({ ok: false });
    const stranger = workerKeys('far', controllerCredentials('another key', 'a project'));
    for (const { project } of [stranger, controllerKeys])
      expect(verify(controllerKeys, sign({ ...stranger, project }, result, body), wanted)).toMatchObject({
        ok: false,
      });
  });
});
