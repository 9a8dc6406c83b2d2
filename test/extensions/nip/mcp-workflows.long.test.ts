import type { Progress } from '@modelcontextprotocol/client';
import { generateSecretKey } from 'nostr-tools/pure';
import { afterEach, describe, expect, it } from 'vitest';
import { McpTools } from '../../support/mcp.ts';
import { asks, tag, waits } from '../../support/nip-request.ts';
import { NipProject } from './nip-project.ts';
import { TestRelay } from '../../support/relay.ts';

/*
 * The tools of `mailroom mcp` outside a turn, as a client sees them: schemas of answers, progress, errors, and relays.
 */

let project: NipProject | null = null;
let tools: McpTools | null = null;
let relay: TestRelay | null = null;

afterEach(async () => {
  await tools?.close();
  tools = null;
  await relay?.close();
  relay = null;
  project?.remove();
  project = null;
});

const steps = [
  { id: 'count', agentKind: 5_100, inputMapping: '$input.text', outputName: 'size' },
  { id: 'report', agentKind: 5_300, inputMapping: ['$size.words', '$input.text'], outputName: 'report' },
];
const edges = [{ from: 'count', to: 'report' }];
const inputs = [{ name: 'text', type: 'string', required: true }];
const definition = { name: 'Count', steps, edges, inputs };
const execution = { workflowId: 'count', inputs: { text: 'a b' } };

/** A role that waits for a file `go`. */
function slow(place: NipProject): void {
  place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
}

describe('what tools answer', () => {
  it('is of the schema that each lists, and the same as text', async () => {
    const place = (project = new NipProject());
    tools = await McpTools.open(place);
    const listed = (await tools.client.listTools()).tools.filter(({ name }) => name.includes('_'));
    for (const { outputSchema } of listed)
      expect(outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const called = new Set<string>();
    const call = async (name: string, given: object) => {
      const { isError, text, document } = await tools!.call(name, given);
      expect([isError, JSON.parse(text)]).toEqual([false, document]);
      called.add(name);
      return document as Record<string, string>;
    };
    await call('define_workflow', definition);
    await call('list_workflows', {});
    const { executionId, run } = await call('execute_workflow', execution);
    expect(executionId).toBe(run);
    await call('workflow_status', { executionId });
    await call('list_runs', {});
    slow(place);
    const started = await call('execute_workflow', { ...execution, async: true });
    await call('cancel_workflow', { executionId: started['executionId'] });
    expect(called).toEqual(new Set(listed.map(({ name }) => name)));
  });

  it('comes with the progress of a call that waits, each number larger than the one before', async () => {
    const place = (project = new NipProject());
    slow(place);
    tools = await McpTools.open(place);
    await tools.call('define_workflow', definition);
    const seen: Progress[] = [];
    let isWaiting = (): void => {};
    const waiting = new Promise<void>((resolve) => (isWaiting = resolve));
    const onprogress = (each: Progress) => {
      seen.push(each);
      if (each.message?.endsWith(', at count') === true) isWaiting();
    };
    const answered = tools.call('execute_workflow', execution, { onprogress });
    await waiting;
    // The call is not over, and its run is known.
    const [{ run }] = ((await tools.call('list_runs', {})).document as { runs: [{ run: string }] }).runs;
    place.write('go', '');
    expect((await answered).document).toMatchObject({ run, status: 'completed' });
    expect(seen.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        `run ${run}: 0 of 2 steps completed, at count`,
        `run ${run}: 1 of 2 steps completed, at report`,
        `run ${run}: 2 of 2 steps completed`,
      ]),
    );
    const numbers = seen.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ progress: 2, total: 2 });
  });
});

describe('what is wrong with a definition', () => {
  it.each([
    [
      'an input that is not there',
      { steps: [{ ...steps[0]!, inputMapping: 'text=$input.txt' }], edges: [] },
      'steps[0].inputMapping:1:6: E_UNKNOWN_NAME: no input is called `txt` (did you mean `text`?)',
    ],
    [
      'one of several mappings',
      { steps: [steps[0]!, { ...steps[1]!, inputMapping: ['$size.words', '$sise'] }] },
      'steps[1].inputMapping[1]:1:1: E_EXPRESSION: no step makes `sise` (did you mean `size`?)',
    ],
    [
      'two mappings with one name',
      { steps: [{ ...steps[0]!, inputMapping: ['a=1', 'a=2'] }, steps[1]!] },
      'steps[0].inputMapping[1]:1:1: E_DUPLICATE: two inputs of the step are called `a` (give each a name: `first=$input.text`)',
    ],
    [
      'a condition, in its second line',
      { edges: [{ from: 'count', to: 'report', condition: '$.size.long\n  == = 1' }] },
      'edges[0].condition:2:6: E_EXPRESSION: unexpected `=`',
    ],
    [
      'a kind that nobody does',
      { steps: [{ ...steps[0]!, agentKind: 5_900 }, steps[1]!] },
      'steps[0].agentKind:1:1: E_UNKNOWN_NAME: no role does tasks of kind 5900',
    ],
    [
      'an id with a quote',
      { steps: [{ ...steps[0]!, id: 'a "b"' }], edges: [] },
      'steps[0].id:1:1: E_VALUE: `a "b"` cannot be the id of a step',
    ],
    [
      'a circle',
      { edges: [...edges, { from: 'report', to: 'count' }] },
      'edges[0]:1:1: E_WORKFLOW: these steps wait for each other: count → report → count',
    ],
    [
      'an edge to nowhere',
      { edges: [{ from: 'count', to: 'reprot' }] },
      'edges[0].to:1:1: E_UNKNOWN_NAME: no step is called `reprot` (did you mean `report`?)',
    ],
    [
      'an output that nobody makes',
      { outputs: [{ name: 'repot' }] },
      'outputs[0].name:1:1: E_UNKNOWN_NAME: no step makes `repot` (did you mean `report`?)',
    ],
    [
      'a name without an id in it',
      { name: '!!!' },
      'E_VALUE: no id can be made of the name `!!!` (give an `id`)',
    ],
  ])('is said of the arguments of the tool: %s', async (_what, change, message) => {
    project = new NipProject();
    tools = await McpTools.open(project);
    const { isError, text } = await tools.call('define_workflow', { ...definition, ...change });
    expect([isError, text]).toEqual([true, expect.stringContaining(message) as string]);
    expect(text).not.toMatch(/\["|"input:|definition:\d/);
  });
});

it('a definition that is kept is answered with what has no effect in it', async () => {
  project = new NipProject();
  tools = await McpTools.open(project);
  const { isError, document } = await tools.call('define_workflow', {
    ...definition,
    steps: [steps[0]!, { ...steps[1]!, maxRetries: 2 }],
  });
  expect([isError, document]).toEqual([
    false,
    expect.objectContaining({
      workflowId: 'count',
      warnings: [
        'steps[1].maxRetries:1:1: E_WORKFLOW: retries have no effect with the policy `abort` (use the policy `retry`, or no retries)',
      ],
    }),
  ]);
});

describe('what is wrong with a file of the project', () => {
  it.each([
    ['mailroom.yaml', 'nip: [\n', /^mailroom\.yaml:2:1: E_YAML: /],
    [
      'protocols/tasks.yaml',
      'roles:\n  counter: { provider: [clerk }\n',
      /^protocols\/tasks\.yaml:2:\d+: E_YAML: /,
    ],
  ])('is said with its place, whatever is asked for: %s', async (file, text, message) => {
    const place = (project = new NipProject());
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const { stdout } = await place.run(['run', 'measure', '--input', 'text=a', '--json']);
    const { run } = JSON.parse(stdout) as { run: string };
    place.write(file, text);
    tools = await McpTools.open(place);
    for (const [name, given] of [
      ['define_workflow', definition],
      ['list_workflows', {}],
      ['list_runs', {}],
      ['cancel_workflow', { executionId: run }],
      ['execute_workflow', { workflowId: 'measure', inputs: { text: 'a' } }],
      ['workflow_status', { executionId: run }],
    ] as const) {
      const answered = await tools.call(name, given);
      expect([name, answered]).toEqual([
        name,
        { isError: true, text: expect.stringMatching(message) as string, document: undefined },
      ]);
    }
  });
});

describe('a run that somebody else has asked for', () => {
  const key = generateSecretKey();

  it('is called as its request calls it, and found by that, by its own id and by that of the request', async () => {
    const place = (project = new NipProject());
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const request = asks(place.events('definitions')[0]!.id, key);
    place.write('request.json', JSON.stringify(request));
    const { stdout } = await place.run(['run', 'request.json', '--json']);
    const { run } = JSON.parse(stdout) as { run: string };
    tools = await McpTools.open(place);
    const executionId = tag(request, 'd')!;
    for (const word of [executionId, run, run.slice(-6), request.id])
      expect((await tools.call('workflow_status', { executionId: word })).document).toMatchObject({
        executionId,
        run,
        status: 'completed',
      });
    const status = await place.run(['nip', 'status', executionId]);
    expect(status.stdout).toContain(`\nrun ${run}, asked for as ${executionId}, 2 of 3 steps completed`);
    // Another author may call a run the same.
    const other = asks(place.events('definitions')[0]!.id, generateSecretKey(), { d: executionId });
    place.write('other.json', JSON.stringify(other));
    await place.run(['run', 'other.json']);
    const { isError, text } = await tools.call('cancel_workflow', { executionId });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(new RegExp(`^E_TARGET: \`${executionId}\` may be .*${run}`)) as string,
    ]);
  });
});

describe('a relay that was away', () => {
  it('gets the results of runs when it is back: of the server that made them, and of a later one', async () => {
    relay = await TestRelay.open();
    const { port } = relay;
    const place = (project = new NipProject({}, `{ relays: ['${relay.url}'] }`));
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const known = [...relay.events];
    for (const isRestarted of [false, true]) {
      await relay.close();
      tools ??= await McpTools.open(place);
      const { document } = await tools.call('execute_workflow', {
        workflowId: 'measure',
        inputs: { text: 'a b' },
      });
      const { run, unsentEvents } = document as { run: string; unsentEvents: number };
      expect(unsentEvents).toBe(place.events(run).length);
      if (isRestarted) {
        await tools.close();
        tools = null;
      }
      relay = await TestRelay.open(port);
      relay.events.push(...known);
      tools ??= await McpTools.open(place);
      await relay.until(() =>
        place.events(run).every(({ id }) => relay!.events.some((each) => each.id === id)),
      );
    }
  });
});
