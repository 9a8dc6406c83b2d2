import { afterEach, describe, expect, it } from 'vitest';
import { McpTools } from '../support/mcp.ts';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

/*
 * The tools of a project in `mailroom mcp` outside a turn, as the agent of a person sees them. The official client checks
 * each answer by the schema that its tool lists.
 */

let project: TestProject | null = null;
let tools: McpTools | null = null;

afterEach(async () => {
  await tools?.close();
  tools = null;
  project?.remove();
  project = null;
});

const ask = `
name: ask
version: "1"
timeout: 5m
parameters: { what: { type: string, required: true } }
steps:
  agree:
    gate:
      message: Go on with \${{ parameters.what }}?
      timeout: 5m
      fields: { reason: { type: string, required: true } }
  work: { depends_on: [agree], command: ['true'] }
`;

const plays = {
  maker: `if (type === 'answer') send('done', 'user', 'It is done.'); else send('question', 'user', 'Which colour?');`,
  checker: '',
};

async function open(options: readonly string[] = []) {
  project ??= playProject(smallTeam, plays, { 'workflows/ask.yaml': ask });
  tools = await McpTools.open(project, { MAILROOM_USER: 'user' }, options);
  const { client } = tools;
  const call = async <T = unknown>(name: string, given: object = {}): Promise<T> => {
    const { isError, text, document } = await tools!.call(name, given);
    expect([isError, JSON.parse(text)]).toEqual([false, document]);
    return document as T;
  };
  const refused = async (name: string, given: object): Promise<string> => {
    const { isError, text } = await tools!.call(name, given);
    expect(isError).toBe(true);
    return text;
  };
  return { project, call, refused, listed: (await client.listTools()).tools };
}

const mailTools = ['inbox', 'reply', 'run', 'runs', 'send', 'show', 'status', 'why'];

describe('the tools of a project', () => {
  it('send work, list what waits for the person, and answer it', async () => {
    const { project: place, call } = await open();
    expect(await call('send', { to: 'maker', text: 'Paint it.' })).toMatchObject({
      message: { state: 'recorded' },
    });
    await place.run(['up', '--until-idle']);
    const { items } = await call<{ items: { id: string; thread: string }[] }>('inbox');
    expect(items).toMatchObject([{ kind: 'request', type: 'question', reply_types: ['answer'] }]);
    expect(await call('why', { target: 'maker' })).toMatchObject({ code: 'waiting_for_user' });
    const { id, thread } = items[0]!;
    expect(await call('reply', { id, text: 'Green.' })).toMatchObject({ message: { state: 'recorded' } });
    await place.run(['up', '--until-idle']);
    expect(await call('show', { id: thread })).toMatchObject({
      shown: { kind: 'message', message: { type: 'task' }, thread: { state: 'closed', messages: 4 } },
    });
    expect(await call('status')).toMatchObject({ threads: [{ id: thread, state: 'closed' }] });
  });

  it('start a workflow, and answer its approval where the server may', async () => {
    const { call, refused, listed } = await open(['--approve']);
    expect(listed.map(({ name }) => name).toSorted()).toEqual(['approve', ...mailTools]);
    const { run } = await call<{ run: string }>('run', { workflow: 'ask', parameters: { what: 'it' } });
    const waiting = async () => (await call<{ items: object[] }>('inbox')).items;
    const id = `${run}/agree`;
    await expect.poll(waiting).toMatchObject([{ id, kind: 'approval' }]);
    expect(await refused('approve', { id, verdict: 'approve' })).toContain('reason');
    const fields = { reason: 'because' };
    expect(await call('approve', { id, verdict: 'approve', fields })).toMatchObject({ run, state: 'done' });
    const status = async () => (await call<{ shown: object }>('show', { id: run })).shown;
    await expect.poll(status).toMatchObject({ kind: 'run', status: 'SUCCEEDED' });
    expect(await call('runs')).toMatchObject({ runs: [{ run, status: 'SUCCEEDED' }], problems: [] });
  });

  it('answer no approval unless the server was started so', async () => {
    const { listed } = await open();
    expect(listed.map(({ name }) => name).toSorted()).toEqual(mailTools);
  });

  it('say what they are, and what their answers have', async () => {
    const { listed } = await open(['--approve']);
    for (const { title, description, annotations, outputSchema } of listed) {
      expect([typeof title, typeof description, typeof annotations?.readOnlyHint]).toEqual([
        'string',
        'string',
        'boolean',
      ]);
      expect(outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('answer with the error, its code and what to do', async () => {
    const { refused } = await open();
    expect(await refused('show', { id: 'nothing' })).toMatch(/^E_TARGET: /);
    expect(await refused('send', { to: 'makr', text: 'a' })).toMatch(/^E_\w+: .*maker/s);
    expect(await refused('run', { workflow: 'aks' })).toBe(
      'E_TARGET: there is no workflow `aks` (`mailroom workflows` lists them)',
    );
  });
});
