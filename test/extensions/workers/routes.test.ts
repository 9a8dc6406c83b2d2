import { afterEach, expect, it, vi } from 'vitest';
import { workerRoutes } from '../../../src/extensions/workers/routes.ts';
import { Workers } from '../../../src/extensions/workers/workers.ts';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { SeenWorker } from '../../../src/letters/seen-workers.ts';
import type { Project } from '../../../src/project/project.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';
import { ApiFixture, reader } from '../../server/http/api-fixture.ts';

const worker: SeenWorker = {
  host: 'builder-2',
  id: '5d0c9a41',
  login: 'team',
  version: '1',
  roles: ['engineer'],
  steps: [],
  labels: [],
  slots: 2,
  running: ['t4/1/0'],
  parked: [{ provider: 'claude', until: '2026-01-05T12:00:00.000Z' }],
  since: '2026-01-05T09:00:00.000Z',
  lastSeen: '2026-01-05T09:41:12.000Z',
  state: 'active',
};

/** A project with one worker, which notes its orders. */
class WithWorker extends ProjectFixture {
  readonly orders: string[] = [];

  override project(): Project {
    const order: Workers['order'] = (what, target) => {
      if (target !== worker.host)
        return Promise.reject(new MailroomError('E_TARGET', `no worker on \`${target}\``));
      this.orders.push(`${what} ${target}`);
      return Promise.resolve([worker]);
    };
    vi.spyOn(Workers.prototype, 'list').mockResolvedValue([worker]);
    vi.spyOn(Workers.prototype, 'order').mockImplementation(order);
    return super.project();
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('lists the workers, and orders one', async () => {
  const project = new WithWorker();
  const api = new ApiFixture(project, project.project(), workerRoutes);
  const list = { schema: 1, workers: [worker] };
  expect(await api.get('/api/v1/workers')).toMatchObject({ status: 200, document: list });
  for (const order of ['drain', 'pause', 'unpause'])
    expect(await api.post(`/api/v1/workers/builder-2/${order}`, {})).toMatchObject({
      status: 200,
      document: list,
    });
  expect(project.orders).toEqual(['drain builder-2', 'pause builder-2', 'unpause builder-2']);
  expect(await api.post('/api/v1/workers/other/drain', {})).toMatchObject({
    status: 404,
    document: { code: 'E_TARGET' },
  });
  const authorization = `Bearer ${reader.key}`;
  expect(await api.post('/api/v1/workers/builder-2/drain', {}, { authorization })).toMatchObject({
    status: 403,
  });
  expect(project.orders).toHaveLength(3);
});
