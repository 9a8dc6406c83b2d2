import { describe, expect, it } from 'vitest';
import type { HttpServices } from '../../../src/server/http/route.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';
import { ApiFixture, reader } from './api-fixture.ts';

const page = '<script>alert(1)</script>';
const large = Buffer.alloc(1_000_000, 'x');
const files: Readonly<Record<string, Buffer>> = {
  'index.html': Buffer.from(page),
  'data/large ü.bin': large,
};

/** The API of a run with one artifact. */
function fixture(): { readonly api: ApiFixture; readonly largest: () => number } {
  let largest = 0;
  const artifact = (step: string, name: string) =>
    step !== 'build/2' || name !== 'site'
      ? null
      : {
          files: new Map(Object.entries(files).map(([path, { length }]) => [path, length])),
          read: (path: string, from: number, most: number) => {
            largest = Math.max(largest, most);
            return files[path]?.subarray(from, from + most) ?? null;
          },
        };
  const project = new ProjectFixture();
  const opened = {
    workflows: { run: () => ({ run: 'r1', artifact }) },
  } as unknown as HttpServices['project'];
  return { api: new ApiFixture(project, opened), largest: () => largest };
}

const site = '/api/v1/workflow-runs/r1/artifacts/build%2F2/site';

describe('an artifact', () => {
  it('lists its files, each with its address', async () => {
    const { document } = await fixture().api.get(site);
    expect(document).toEqual({
      schema: 1,
      run: 'r1',
      step: 'build/2',
      name: 'site',
      files: [
        { path: 'index.html', bytes: page.length, address: `${site}/index.html` },
        { path: 'data/large ü.bin', bytes: large.length, address: `${site}/data%2Flarge%20%C3%BC.bin` },
      ],
    });
  });

  it('is sent byte for byte in parts, and kept as a file', async () => {
    const { api, largest } = fixture();
    const answer = await api.ask(`${site}/data%2Flarge%20%C3%BC.bin`, {
      headers: { 'accept-encoding': 'br' },
    });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(large.length),
      'content-disposition': "attachment; filename*=UTF-8''large%20%C3%BC.bin",
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true);
    expect(largest()).toBeLessThan(large.length / 2);
  });

  it.each([
    ['another artifact', '/api/v1/workflow-runs/r1/artifacts/build%2F2/other'],
    ['another step', '/api/v1/workflow-runs/r1/artifacts/build/site'],
    ['a file that it has not', `${site}/other`],
    ['a path that leads out', `${site}/..%2F..%2F..%2Fmailroom.yaml`],
  ])('is not %s', async (_what, path) => {
    expect((await fixture().api.get(path)).document).toMatchObject({ status: 404, code: 'E_TARGET' });
  });

  it('is not masked, so only a key that may write gets its bytes', async () => {
    const { api } = fixture();
    const headers = { authorization: `Bearer ${reader.key}` };
    expect((await api.get(`${site}/index.html`, headers)).document).toMatchObject({
      status: 403,
      code: 'E_KEY',
    });
    expect((await api.get(site, headers)).status).toBe(200);
  });
});
