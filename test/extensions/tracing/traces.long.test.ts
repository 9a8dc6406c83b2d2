import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playProject, smallTeam } from '../../support/play.ts';
import type { TestProject } from '../../support/project.ts';

/* Traces by the standard variables of OpenTelemetry, against a real receiver of OTLP over HTTP. */

interface Received {
  readonly path: string;
  readonly type: string;
  readonly secret: string;
  readonly body: Buffer;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

let project: TestProject;
let receiver: Server;
let received: Received[];

beforeEach(async () => {
  received = [];
  receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { 'content-type': type = '', 'x-secret': secret = '' } = request.headers;
      received.push({ path: request.url ?? '', type, secret: String(secret), body: Buffer.concat(parts) });
      response.writeHead(200, { 'Content-Type': type }).end(type === 'application/json' ? '{}' : '');
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});

afterEach(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await once(receiver, 'close');
  project.remove();
});

const endpoint = () => `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
const json = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-secret=abc',
  OTEL_RESOURCE_ATTRIBUTES: 'team=shop',
});

const batches = () => received.map(({ body }) => JSON.parse(body.toString()) as Batch);
const spans = () =>
  batches().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: own }) => own)),
  );

function attributesOf({ attributes }: Pick<WireSpan, 'attributes'>): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}

/** Each span under the name of its parent. */
function tree(): string[] {
  const names = new Map(spans().map(({ spanId, name }) => [spanId, name]));
  return spans().map(({ name, parentSpanId = '', status }) => {
    const above = parentSpanId === '' ? '' : `${names.get(parentSpanId) ?? '?'} > `;
    return `${above}${name}${status.code === 2 ? ' FAILED' : ''}`;
  });
}

const workflow = `
name: ship
version: "1"
timeout: 5m
steps:
  flaky:
    command: [sh, -c, "test -e second || { touch second; exit 1; }"]
    capabilities: [READ]
    on_failure: retry
    max_retries: 1
  each:
    depends_on: [flaky]
    for_each:
      items: [a, b]
      steps: { work: { command: [echo, "\${{ item }}"] } }
  write:
    provider: echo
    capabilities: [READ]
    depends_on: [each]
    instructions: Write it.
  build:
    depends_on: [each]
    role: maker
    instructions: Build it.
`;

describe('with the variables of OpenTelemetry', () => {
  it('a run is a trace of its steps, attempts, and the turns of its roles', async () => {
    project = playProject(
      smallTeam,
      { maker: `console.log('Built.');` },
      {
        'workflows/ship.yaml': workflow,
        '.mailroom/.here': '',
        'mailroom.yaml':
          'providers: { play: { command: [node, play/run.mjs] }, echo: { command: [sh, -c, "cat > out; echo ok"] } }\ndefaults: { provider: play }\ntrail: off\n',
      },
    );
    const ran = await project.run(['run', 'ship', '--json'], json());
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('traces') as string });
    expect(received[0]).toMatchObject({ path: '/v1/traces', type: 'application/json', secret: 'abc' });
    const { run } = JSON.parse((await project.run(['runs', '--json'])).stdout)[0] as { run: string };
    const all = spans();
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([run.replaceAll('-', '')]));
    expect(tree().toSorted()).toEqual(
      [
        'invoke_workflow ship',
        'invoke_workflow ship > step flaky',
        'step flaky > attempt 1 FAILED',
        'step flaky > attempt 2',
        'invoke_workflow ship > step each',
        'step each > step work',
        'step each > step work',
        'step work > attempt 1',
        'step work > attempt 1',
        'invoke_workflow ship > step write',
        'step write > invoke_agent echo',
        'invoke_workflow ship > step build',
        'step build > attempt 1',
        'step build > thread',
        'thread > turn maker',
        'turn maker > invoke_agent maker',
      ].toSorted(),
    );
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of all)
      expect(BigInt(from) <= BigInt(to)).toBe(true);
    const [resource] = batches()[0]?.resourceSpans ?? [];
    expect(attributesOf(resource!.resource)).toMatchObject({ 'service.name': 'mailroom', team: 'shop' });
    const named = (name: string) => attributesOf(all.find((span) => span.name === name)!);
    expect(named('invoke_workflow ship')).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'mailroom.run': run,
      'mailroom.version': '1',
      'mailroom.status': 'SUCCEEDED',
    });
    expect(all.find(({ status }) => status.code === 2)).toMatchObject({
      name: 'attempt 1',
      status: { message: expect.stringContaining('exit code 1') as string },
    });
    expect(named('turn maker')).toMatchObject({ 'mailroom.role': 'maker', 'mailroom.turn': 't1' });
    expect(named('invoke_agent maker')).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'play',
      'gen_ai.agent.name': 'maker',
    });
    expect(named('invoke_agent echo')).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'echo',
      'mailroom.step': 'write',
      'process.exit.code': 0,
    });
  });

  it('a thread is a trace of its turns', async () => {
    project = playProject(smallTeam, {
      maker: `if (type === 'task') send('review', 'checker'); else send('done', 'user', 'Made.');`,
      checker: `if (times === 0) throw new Error('not now'); send('verdict', 'maker', 'Good.', 'fields: { good: true }\\n');`,
    });
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    expect(await project.run(['up', '--until-idle'], json())).toMatchObject({ code: 0 });
    expect(tree().toSorted()).toEqual(
      [
        'thread',
        'thread > turn maker',
        'thread > turn maker',
        'thread > turn checker',
        'turn maker > invoke_agent maker',
        'turn maker > invoke_agent maker',
        'turn checker > invoke_agent checker FAILED',
        'turn checker > invoke_agent checker',
      ].toSorted(),
    );
    const [{ thread }] = JSON.parse((await project.run(['trail', '--json'])).stdout) as [{ thread: string }];
    expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([thread.replaceAll('-', '')]));
  });

  it('protobuf is the usual protocol, and a run that is cancelled fails', async () => {
    project = playProject(
      smallTeam,
      {},
      { 'workflows/no.yaml': 'name: no\nversion: "1"\ntimeout: 5m\nsteps: { no: { command: ["false"] } }\n' },
    );
    const ran = await project.run(['run', 'no'], { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint()}/own` });
    expect(ran.code).toBe(1);
    expect(received).toMatchObject([{ path: '/own', type: 'application/x-protobuf' }]);
    expect(received[0]?.body.includes('invoke_workflow no')).toBe(true);
  });

  it('a receiver that is not there disturbs nothing and is reported', async () => {
    const socket = createSocketServer().listen(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address() as AddressInfo;
    socket.close();
    await once(socket, 'close');
    project = playProject(
      smallTeam,
      {},
      {
        'workflows/yes.yaml': 'name: yes\nversion: "1"\ntimeout: 5m\nsteps: { yes: { command: ["true"] } }\n',
      },
    );
    const ran = await project.run(['run', 'yes'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('traces were not sent: ');
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'nothing is sent with %o',
    async (off) => {
      project = playProject(
        smallTeam,
        {},
        {
          'workflows/yes.yaml':
            'name: yes\nversion: "1"\ntimeout: 5m\nsteps: { yes: { command: ["true"] } }\n',
        },
      );
      expect((await project.run(['run', 'yes'], { ...json(), ...off })).code).toBe(0);
      expect(received).toEqual([]);
    },
  );
});
