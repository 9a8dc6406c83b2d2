import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';
import { Server } from '../support/server.ts';

let project: TestProject | null = null;
let server: Server | null = null;

afterEach(async () => {
  await server?.stop();
  project?.remove();
  [server, project] = [null, null];
});

/** With an artifact, a step that is skipped, and a gate. */
const parts = `name: parts
version: '1'
timeout: 5m
steps:
  make:
    command: [sh, -c, 'mkdir -p site; echo hi > site/index.html']
    outputs: [{ name: site, path: site }]
  never: { command: [echo, never], when: '\${{ false }}', depends_on: [make] }
  ask: { gate: { message: Ship it? }, depends_on: [make] }
`;

const workflow = `name: ship
version: '1'
timeout: 5m
parameters:
  target: { type: string, required: true }
  count: { type: integer, default: 1 }
steps:
  ask:
    gate:
      message: Ship it?
      approvers: [ada]
  ship:
    depends_on: [ask]
    command: [sh, -c, 'echo "<b>shipped</b>"; touch shipped']
`;

interface Run {
  readonly run: string;
  readonly status: string;
  readonly alive: boolean;
  readonly current: readonly string[];
  readonly steps: Readonly<Record<string, { readonly status: string; readonly attempts: number }>>;
}

/** A run as the API shows it, once it looks like this. */
async function until(of: Server, run: string, fits: (run: Run) => boolean): Promise<Run> {
  const stream = await of.get('/api/v1/events');
  const reader = stream.body!.getReader();
  for (;;) {
    const shown = (await (await of.get(`/api/v1/workflow-runs/${run}`)).json()) as Run;
    if (fits(shown)) {
      await reader.cancel();
      return shown;
    }
    if ((await reader.read()).done) throw new Error('the stream ended');
  }
}

/** The status of an answer, once the process of the last command has ended: it is refused until then. */
async function onceOver(ask: () => Promise<Response>): Promise<number> {
  for (;;) {
    const { status } = await ask();
    if (status !== 409) return status;
  }
}

describe('runs over the API', () => {
  it('are refused, not held, while another run of the workflow keeps them from starting', async () => {
    const waiting = workflow.replace('parameters:', 'runs: { otherwise: wait }\nparameters:');
    project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': waiting });
    server = await Server.start(project, { MAILROOM_USER: 'ada' });
    const start = () => server!.post('/api/v1/workflows/ship/run', { parameters: { target: 'x' } });
    const first = (await (await start()).json()) as Run;
    const second = await start();
    expect(second.status).toBe(409);
    expect((await second.json()) as object).toMatchObject({
      detail: expect.stringContaining(`the run ${first.run.slice(-6)} of \`ship\` is in progress`) as string,
    });
    expect(project.list('.mailroom/runs')).toEqual([first.run]);
    const cancelled = await server.post(`/api/v1/workflow-runs/${first.run}/cancel`, {});
    expect(cancelled.status).toBe(200);
    await until(server, first.run, ({ alive }) => !alive);
  });

  it('are planned, started once, approved by the person of the key, and shown to their end', async () => {
    project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': workflow });
    server = await Server.start(project, { MAILROOM_USER: 'ada' });
    const ship = '/api/v1/workflows/ship';
    const file = (await (await server.get('/api/v1/workflows/workflows%2Fship.yaml')).json()) as object;
    expect(file).toMatchObject({
      ok: true,
      name: 'ship',
      text: workflow,
      parameters: { target: { type: 'string', required: true }, count: { default: 1 } },
      graph: { nodes: [{ id: 'ask' }, { id: 'ship' }], edges: [{ from: 'ask', to: 'ship' }] },
    });
    const outside = await server.get('/api/v1/workflows/..%2F..%2Fetc%2Fpasswd');
    expect(outside.status).toBe(404);
    const wrong = await server.post(`${ship}/run`, { parameters: { count: '3', other: 1 } });
    expect(wrong.status).toBe(422);
    expect((await wrong.json()) as object).toMatchObject({
      detail: expect.stringMatching(/other.*target.*count|target.*count.*other|other.*count.*target/s),
    });
    const unsaved = await server.post(`${ship}/validate`, { text: workflow.replace('[ask]', '[asks]') });
    expect((await unsaved.json()) as object).toMatchObject({ ok: false, errors: [{ line: 13 }] });
    const plan = await server.post(`${ship}/plan`, { parameters: { target: 'x' } });
    expect((await plan.json()) as object).toMatchObject({ ceiling: { processes: 1, launches: 0 } });
    expect(project.list('.mailroom')).not.toContain('runs');

    const once = { 'idempotency-key': 'ship-1' };
    const started = await server.post(`${ship}/run`, { parameters: { target: 'x' } }, once);
    expect(started.status).toBe(202);
    const { run } = (await started.json()) as { run: string };
    expect(started.headers.get('location')).toBe(`/api/v1/workflow-runs/${run}`);
    await server.stop();
    server = await Server.start(project, { MAILROOM_USER: 'ada' });
    const again = await server.post(`${ship}/run`, { parameters: { target: 'x' } }, once);
    expect((await again.json()) as object).toMatchObject({ run });
    expect(project.list('.mailroom/runs')).toEqual([run]);

    await until(server, run, ({ current, alive }) => alive && current.includes('ask'));
    const gate = `/api/v1/workflow-runs/${run}/gates/ask`;
    const named = await server.post(`${gate}/approve`, { by: 'ada' });
    expect(named.status).toBe(400);
    const approved = await server.post(`${gate}/approve`, { comment: 'Go.' }, { 'idempotency-key': 'yes' });
    expect([approved.status, (await approved.json()) as object]).toMatchObject([
      200,
      { state: 'done', verb: 'approve' },
    ]);
    const late = await server.post(`${gate}/reject`, {});
    expect(late.status).toBe(409);
    const { steps } = await until(server, run, ({ status }) => status === 'SUCCEEDED');
    expect(steps).toMatchObject({ ask: { status: 'SUCCEEDED' }, ship: { status: 'SUCCEEDED' } });
    const logs = await server.get(`/api/v1/workflow-runs/${run}/logs?stage=ship`);
    expect(logs.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await logs.text()).toContain('<b>shipped</b>');
    const list = (await (await server.get('/api/v1/workflow-runs?status=succeeded')).json()) as Run[];
    expect(list).toMatchObject([
      {
        run,
        status: 'SUCCEEDED',
        progress: { completed: 2, total: 2 },
        started_by: 'person',
        person: 'ada',
      },
    ]);
    const over = await server.post(`/api/v1/workflow-runs/${run}/cancel`, {});
    expect(over.status).toBe(409);
  });

  it('say what waits, what was skipped and what was done, and give bytes of artifacts alone', async () => {
    project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/parts.yaml': parts });
    server = await Server.start(project, { MAILROOM_USER: 'ada' });
    const started = await server.post('/api/v1/workflows/parts/run', {});
    const { run } = (await started.json()) as { run: string };
    const path = `/api/v1/workflow-runs/${run}`;
    const shown = await until(server, run, ({ current, alive }) => alive && current.includes('ask'));
    expect(shown).toMatchObject({
      standing: { is: 'needs you', word: 'needs you: approval' },
      gates: [{ gate: 'ask', message: 'Ship it?', recorded: null }],
      progress: { completed: 1, total: 3 },
      steps: { make: { status: 'SUCCEEDED' }, never: { status: 'SKIPPED' }, ask: { status: 'WAITING' } },
    });
    const listed = async (standing: string) =>
      ((await (await server!.get(`/api/v1/workflow-runs?standing=${standing}`)).json()) as Run[]).length;
    expect([await listed('needs%20you'), await listed('failed')]).toEqual([1, 0]);
    expect(await listed('needs%20you&newest=true')).toBe(1);
    expect((await server.get('/api/v1/workflow-runs?standing=odd')).status).toBe(422);
    expect((await server.post(`${path}/gates/other/approve`, {})).status).toBe(404);

    const stream = (await server.get(`${path}/events`)).body!.getReader();
    let events = '';
    while (!events.includes('gate_asked')) events += new TextDecoder().decode((await stream.read()).value);
    await stream.cancel();
    expect(events).toContain('run_started');
    expect(events).not.toContain('run_resumed');

    const site = `${path}/artifacts/make/site`;
    const bytes = async (file: string) => await (await server!.get(`${site}/${file}`)).text();
    expect(await bytes('index.html')).toBe('hi\n');
    expect((await server.get(`${site}/..%2F..%2Fmailroom.yaml`)).status).toBe(404);
  });

  it('refuses a person who is no approver, and cancels', async () => {
    project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': workflow });
    server = await Server.start(project, { MAILROOM_USER: 'eve' });
    const started = await server.post('/api/v1/workflows/ship/run', { parameters: { target: 'x' } });
    const { run } = (await started.json()) as { run: string };
    await until(server, run, ({ current, alive }) => alive && current.includes('ask'));
    const refused = await server.post(`/api/v1/workflow-runs/${run}/gates/ask/approve`, {});
    expect([refused.status, (await refused.json()) as object]).toMatchObject([403, { code: 'E_KEY' }]);
    expect(project.list(`.mailroom/runs/${run}/control`)).toEqual([]);
    const cancelled = await server.post(`/api/v1/workflow-runs/${run}/cancel`, {});
    expect([cancelled.status, (await cancelled.json()) as object]).toMatchObject([
      200,
      { state: 'done', verb: 'cancel' },
    ]);
    const { status } = await until(server, run, ({ status: now }) => now === 'CANCELLED');
    expect(status).toBe('CANCELLED');
  });

  it('are resumed, and a step that failed runs again', async () => {
    const failing = workflow
      .replace('      approvers: [ada]\n', '')
      .replace('touch shipped', 'test -e mended && touch shipped');
    project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'workflows/ship.yaml': failing });
    server = await Server.start(project, { MAILROOM_USER: 'ada' });
    const started = await server.post('/api/v1/workflows/ship/run', { parameters: { target: 'x' } });
    const { run } = (await started.json()) as Run;
    const at = `/api/v1/workflow-runs/${run}`;
    await until(server, run, ({ current }) => current.includes('ask'));
    await server.post(`${at}/gates/ask/approve`, {});
    await until(server, run, ({ status }) => status === 'FAILED');

    const would = await server.get(`${at}/resumption`);
    expect(await would.text()).toContain('"ship"');
    expect((await server.post(`${at}/retry/ask`, {})).status).toBe(409);
    expect(await onceOver(() => server!.post(`${at}/resume`, {}))).toBe(202);
    await until(server, run, ({ status, steps: { ship } }) => status === 'FAILED' && ship?.attempts === 2);

    project.write('mended', '');
    expect([200, 202]).toContain(await onceOver(() => server!.post(`${at}/retry/ship`, {})));
    const { steps } = await until(server, run, ({ status }) => status === 'SUCCEEDED');
    expect(steps).toMatchObject({ ship: { status: 'SUCCEEDED' } });
    expect((await server.post(`${at}/resume`, {})).status).toBe(409);
  });
});
