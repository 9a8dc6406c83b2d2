import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { finalizeEvent, generateSecretKey, verifyEvent } from 'nostr-tools/pure';
import { afterEach, describe, expect, it } from 'vitest';
import { rowsOnPage } from '../../docs/workflow-tables.ts';
import { NipProject } from './nip-project.ts';
import { McpTools } from '../../support/mcp.ts';
import { finished, said } from '../../support/project.ts';
import { waits } from '../../support/nip-request.ts';

/*
 * Workflows of the language nip by their ids, through the real program: by commands, and by tools of `mailroom mcp`.
 */

let project: NipProject | null = null;
let client: Client | null = null;

afterEach(async () => {
  await client?.close();
  client = null;
  project?.remove();
  project = null;
});

describe('the commands', () => {
  it('define a workflow, execute it by its id, and tell how it stands', async () => {
    const place = (project = new NipProject());
    const defined = await place.run(['nip', 'define', 'workflows/measure.json']);
    const [event] = place.events('definitions');
    expect(verifyEvent(event as never)).toBe(true);
    expect(defined.stdout).toBe(`defined measure 1.0.0, 3 steps: event ${event!.id}\n`);
    const input = ['--input', 'text=a b', '--budget', 'msats=5000', '--timeout', '60', '--json'];
    const executed = await place.run(['nip', 'execute', 'measure', ...input]);
    const report = JSON.parse(executed.stdout) as { readonly executionId: string };
    expect(report).toMatchObject({
      workflowId: 'measure',
      status: 'completed',
      outputs: { report: '2 words: a b' },
      stepsCompleted: 2,
      progress: { completed: 2, total: 3 },
      totalCost: 2_000,
      remainingBudget: 3_000,
      message: '',
    });
    const [request] = place.events(report.executionId);
    expect(request?.tags).toEqual(
      expect.arrayContaining([
        ['e', event!.id, '', 'workflow'],
        ['timeout', '60'],
      ]),
    );
    const over = 'measure completed\nrun ID, 2 of 3 steps completed, 2000 msats\nreport: "2 words: a b"\n';
    // By the run, and by the event that asked for it.
    for (const word of [report.executionId, request!.id])
      expect((await place.run(['nip', 'status', word])).stdout).toBe(over.replace('ID', report.executionId));
    // The last definition of an id takes the place of those before.
    place.write('second.json', place.read('workflows/measure.json').replace('1.0.0', '2.0.0'));
    const second = await place.run(['nip', 'define', 'second.json', '--json']);
    const { eventId, version } = JSON.parse(second.stdout) as { eventId: string; version: string };
    expect(version).toBe('2.0.0');
    const again = ['nip', 'execute', 'measure', '--input', 'text=a b', '--async', '--json'];
    const started = await place.run(again);
    const { executionId, status } = JSON.parse(started.stdout) as { executionId: string; status: string };
    expect([status, executionId === report.executionId]).toEqual(['running', false]);
    let stands = started;
    while (stands.stdout.includes('running')) stands = await place.run(['nip', 'status', executionId]);
    expect(stands.stdout).toBe(over.replace('ID', executionId));
    expect(place.events(executionId)[0]?.tags[0]).toEqual(['e', eventId, '', 'workflow']);
  });

  it('tell that a run is stopped which no process works on, and how it is resumed', async () => {
    const place = (project = new NipProject());
    const clerk = place.read('agents/clerk.mjs');
    place.write('agents/clerk.mjs', `${waits}${clerk}`);
    const killed = place.start(['run', 'measure', '--input', 'text=a b', '--plain']);
    const ended = finished(killed);
    await said(killed, 'count');
    const [{ run }] = JSON.parse((await place.run(['runs', '--json'])).stdout) as [{ readonly run: string }];
    expect((await place.run(['nip', 'status', run])).stdout).toMatch(/^measure running\n/);
    killed.kill('SIGKILL');
    await ended;
    const document = async () =>
      JSON.parse((await place.run(['nip', 'status', run, '--json'])).stdout) as object;
    const stopped = await document();
    expect(stopped).toMatchObject({
      status: 'stopped',
      currentStep: null,
      message: `no process works on it; resume it with: mailroom resume ${run}`,
    });
    expect(await document()).toEqual(stopped);
    place.write('go', '');
    expect(await place.run(['resume', run])).toMatchObject({ code: 0 });
    expect(await document()).toMatchObject({ status: 'completed', message: '' });
  });

  it('make an earlier text the current one again, unless its author has signed a newer one', async () => {
    const place = (project = new NipProject());
    const file = place.read('workflows/measure.json');
    const define = async (text: string) => {
      place.write('defined.json', text);
      return JSON.parse((await place.run(['nip', 'define', 'defined.json', '--json'])).stdout) as Record<
        'eventId' | 'replaced' | 'newer',
        string | null
      >;
    };
    const first = await define(file);
    const second = await define(file.replace('1.0.0', '2.0.0'));
    const again = await define(file);
    expect([second.replaced, again.replaced, again.newer]).toEqual([first.eventId, second.eventId, null]);
    const times = place.events('definitions').map(({ created_at: at }) => at);
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const executed = await place.run(['nip', 'execute', 'measure', '--input', 'text=a', '--json']);
    const { executionId } = JSON.parse(executed.stdout) as { executionId: string };
    expect(place.events(executionId)[0]?.tags[0]).toContain(again.eventId);
    const key = generateSecretKey();
    const signed = (at: number) => {
      const template = { created_at: 1_700_000_000 + at, kind: 30_920, content: 'x' };
      const { tags } = JSON.parse(file) as { tags: string[][] };
      return JSON.stringify(finalizeEvent({ ...template, tags }, key));
    };
    const newer = await define(signed(2));
    expect(newer).toMatchObject({ replaced: again.eventId, newer: null });
    expect(await define(signed(1))).toMatchObject({ replaced: null, newer: newer.eventId });
    place.write('defined.json', signed(1));
    expect((await place.run(['nip', 'define', 'defined.json'])).stdout).toContain(
      `, but measure stays event ${newer.eventId!}, which its author signed later\n`,
    );
    expect((await define(file)).replaced).toBe(newer.eventId);
  });

  it('report what has no effect in a definition that is kept all the same', async () => {
    const place = (project = new NipProject());
    const file = place.read('workflows/measure.json').replace('"output:size"', '"output:size", "retries:2"');
    place.write('defined.json', file);
    const { code, stdout, stderr } = await place.run(['nip', 'define', 'defined.json']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^defined measure 1\.0\.0, 3 steps: event /)]);
    const message = 'retries have no effect with the policy `abort`';
    expect(stderr).toMatch(new RegExp(`^defined\\.json:\\d+:\\d+: warning E_WORKFLOW: ${message}\n`));
    const asJson = JSON.parse(
      (await place.run(['nip', 'define', 'defined.json', '--json'])).stdout,
    ) as object;
    expect(asJson).toMatchObject({ warnings: [{ code: 'E_WORKFLOW', message, file: 'defined.json' }] });
  });

  it.each([
    [['execute', 'nothing'], 'error E_TARGET: no workflow is defined as `nothing`'],
    [['execute', 'nothing', '--budget', 'usd=1'], 'error E_USAGE: `usd=1` is not a valid budget'],
    [['status', 'nothing'], 'error E_TARGET: there is no run `nothing`'],
    [['status', 'ab'.repeat(32)], 'error E_TARGET: nothing is known of a run that abab'],
    [['status', 'nothing', '--async'], 'error E_USAGE: `nip status` takes no `--async`'],
    [['define', 'native.yaml'], 'error E_WORKFLOW: a workflow of the language native is not an event'],
  ])('refuse %j', async (args, message) => {
    const native = 'name: n\nversion: "1"\ntimeout: 1h\nsteps: { a: { command: ["true"] } }\n';
    const place = (project = new NipProject({ 'native.yaml': native }));
    const { code, stderr } = await place.run(['nip', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });
});

/** What docs/languages/nip.md says of the tools. */
const skills = rowsOnPage(
  readFileSync(new URL('../../../docs/languages/nip.md', import.meta.url), 'utf8'),
  'By id',
).map(([skill = '', , takes = '', answers = '']) => {
  const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  return { skill: words(skill)[0] ?? '', takes: words(takes), answers: words(answers) };
});

describe('the tools', () => {
  async function tools(place: NipProject): Promise<(name: string, given: object) => Promise<unknown>> {
    const opened = await McpTools.open(place);
    client = opened.client;
    return async (name, given) => {
      const { text, document } = await opened.call(name, given);
      return document ?? text;
    };
  }

  const steps = [
    { id: 'count', agentKind: 5_100, inputMapping: '$input.text', outputName: 'size' },
    { id: 'report', agentKind: 5_300, inputMapping: ['$size.words', '$input.text'], outputName: 'report' },
  ];
  const edges = [{ from: 'count', to: 'report' }];
  const inputs = [{ name: 'text', type: 'string', required: true }];

  it('define, execute and ask, with the names and answers of the page', async () => {
    const place = (project = new NipProject());
    const call = await tools(place);
    const { tools: served } = await client!.listTools();
    const ofNip = served.filter(({ name }) => name.includes('_'));
    const takes = ofNip.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]);
    const told = skills.map(({ skill, takes: words }) => [skill, words]);
    expect(new Map(takes.map(([name, words]) => [name, new Set(words)]))).toEqual(
      new Map(told.map(([name, words]) => [name, new Set(words)])),
    );
    const wrong = [...edges, { from: 'report', to: 'count' }];
    expect(await call('define_workflow', { name: 'Round', steps, edges: wrong, inputs })).toContain(
      'E_WORKFLOW: these steps wait for each other: count → report → count',
    );
    const defined = await call('define_workflow', { name: 'Count Words', steps, edges, inputs });
    const [event] = place.events('definitions');
    expect(defined).toEqual({
      workflowId: 'count-words',
      eventId: event?.id,
      version: '1.0.0',
      stepCount: 2,
      replaced: null,
      newer: null,
      warnings: [],
      relays: null,
    });
    expect(await call('execute_workflow', { workflowId: 'count-words', inputs: { text: 5 } })).toBe(
      'E_USAGE: the input `text` must be a string, not 5',
    );
    expect(new Set(Object.keys(defined as object))).toEqual(new Set(skills[0]?.answers));
    const asked = { workflowId: 'count-words', inputs: { text: 'a b c' }, budget: 9_000 };
    const ran = await call('execute_workflow', asked);
    expect(ran).toMatchObject({
      status: 'completed',
      outputs: { report: expect.stringContaining('3 words') as string },
      stepsCompleted: 2,
      totalCost: 2_000,
    });
    expect(Object.keys(ran as object)).toEqual(skills[1]?.answers);
    const started = (await call('execute_workflow', { ...asked, async: true })) as { executionId: string };
    expect(started).toMatchObject({ status: 'running', outputs: {} });
    const { executionId } = started;
    let now = started as { status?: string };
    while (now.status === 'running') now = (await call('workflow_status', { executionId })) as typeof now;
    expect(now).toMatchObject({ status: 'completed', stepsCompleted: 2 });
  });

  it('list what can be run and what was, and cancel a run', async () => {
    const place = (project = new NipProject());
    place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
    const call = await tools(place);
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const second = { name: 'Measure', id: 'measure', version: '2.0.0', steps, edges, inputs };
    const { eventId, replaced } = (await call('define_workflow', second)) as Record<string, string>;
    expect(replaced).toBe(place.events('definitions')[0]?.id);
    expect(await call('define_workflow', second)).toMatchObject({ eventId, replaced: null });
    expect(await call('list_workflows', {})).toEqual({
      workflows: [
        {
          workflowId: 'measure',
          eventId,
          name: 'Measure',
          version: '2.0.0',
          description: '',
          inputs,
          kinds: [5_100, 5_300],
        },
      ],
      kinds: [
        { kind: 5_100, roles: ['counter'] },
        { kind: 5_200, roles: ['shortener'] },
        { kind: 5_300, roles: ['reporter'] },
      ],
    });
    const asked = { workflowId: 'measure', inputs: { text: 'a b' }, async: true };
    const { executionId } = (await call('execute_workflow', asked)) as { executionId: string };
    const over = { executionId, workflowId: 'measure', status: 'cancelled' };
    expect(await call('cancel_workflow', { executionId })).toMatchObject(over);
    expect(await call('list_runs', {})).toMatchObject({ runs: [over], problems: [] });
    expect(await call('cancel_workflow', { executionId })).toMatch(/^E_\w+: /);
    expect(await call('cancel_workflow', { executionId: 'nothing' })).toBe(
      'E_TARGET: there is no run `nothing` (`mailroom runs` lists them)',
    );
  });

  it('say what they are, and bound their numbers as the language does', async () => {
    const place = (project = new NipProject());
    await tools(place);
    const { tools: served } = await client!.listTools();
    for (const { title, description, annotations } of served)
      expect([
        title,
        description,
        typeof annotations?.readOnlyHint,
        typeof annotations?.openWorldHint,
      ]).toEqual([expect.any(String), expect.any(String), 'boolean', 'boolean']);
    expect(JSON.stringify(served)).not.toContain(String(Number.MIN_SAFE_INTEGER));
    const of = (hint: 'readOnlyHint' | 'destructiveHint') =>
      served.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
    const reading = ['inbox', 'runs', 'show', 'status', 'why'];
    expect(of('readOnlyHint').toSorted()).toEqual(
      [...reading, 'list_runs', 'list_workflows', 'workflow_status'].toSorted(),
    );
    expect(of('destructiveHint').toSorted()).toEqual([
      'cancel_workflow',
      'execute_workflow',
      'reply',
      'run',
      'send',
    ]);
  });

  it('answer with an error where a run fails, and where a file of the project is wrong', async () => {
    const place = (project = new NipProject());
    place.write('agents/clerk.mjs', 'process.exit(3);\n');
    await place.run(['nip', 'define', 'workflows/measure.json']);
    await tools(place);
    const execute = { name: 'execute_workflow', arguments: { workflowId: 'measure', inputs: { text: 'a' } } };
    const failed = await client!.callTool(execute);
    const [report, reason] = failed.content as { readonly text: string }[];
    const { executionId, status, message } = JSON.parse(report!.text) as Record<string, string>;
    expect([failed.isError, status]).toEqual([true, 'failed']);
    expect(reason!.text).toBe(`The run ${executionId!} is failed: ${message!}`);
    place.write('mailroom.yaml', `${place.read('mailroom.yaml')}nothing: 1\n`);
    const broken = await client!.callTool(execute);
    expect(broken.isError).toBe(true);
    expect((broken.content as { readonly text: string }[])[0]?.text).toMatch(
      /^mailroom\.yaml:6:1: E_UNKNOWN_KEY: /,
    );
  });

  it('start no more runs at once than may continue, however many ask at the same time', async () => {
    const nip = '{ msats_per_usd: 1000000, maxConcurrentWorkflows: 2 }';
    const place = (project = new NipProject({}, nip));
    place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const call = await tools(place);
    const asked = { workflowId: 'measure', inputs: { text: 'a b' }, async: true };
    const command = ['nip', 'execute', 'measure', '--input', 'text=a b', '--async'];
    const answers = await Promise.all([
      ...[1, 2, 3].map(async () => JSON.stringify(await call('execute_workflow', asked))),
      ...[1, 2].map(async () => Object.values(await place.run(command)).join('')),
    ]);
    const refused = answers.filter((each) => each.includes('the limit of parallel nip runs is reached'));
    expect([answers.filter((each) => /running/.test(each)).length, refused.length]).toEqual([2, 3]);
    const statuses = async () => {
      const runs = JSON.parse((await place.run(['runs', '--json'])).stdout) as { readonly status: string }[];
      return runs.map(({ status }) => status);
    };
    expect(await statuses()).toHaveLength(2);
    place.write('go', '');
    // Their files are removed afterwards.
    await expect.poll(statuses).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  });
});
