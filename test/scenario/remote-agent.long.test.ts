import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestProject, type Ran } from '../support/project.ts';

/* The recipe of docs/recipes/automation.md, as it stands, with an agent of A2A 0.3 on this host. */

const page = readFileSync(new URL('../../docs/recipes/automation.md', import.meta.url), 'utf8');
const recipe = page.slice(page.indexOf('## A remote agent'));
const files = Object.fromEntries(
  [...recipe.matchAll(/^```\w+\n(?:#|\/\/) (\S+)\n([^]+?)^```$/gm)].map(([, path, text]) => [path, text]),
);

interface Call {
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const task = (state: string, more: object = {}) => ({ kind: 'task', id: 'one', status: { state, ...more } });
const saying = (text: string) => ({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text }] });

let called: Call[] = [];
/** What it answers, one after the other: a result, or a status of HTTP. */
let answers: (object | number)[] = [];
const server = createServer((request, response) => {
  void json(request).then((body) => {
    const call = body as Call;
    called.push(call);
    const result = answers.shift() ?? 500;
    if (typeof result === 'number' || request.headers.authorization !== 'Bearer secret-of-lawyer')
      return response.writeHead(typeof result === 'number' ? result : 401).end();
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

/** Asks the lawyer, who answers so. Returns what `up` says. */
async function asked(...results: (object | number)[]): Promise<Ran> {
  [called, answers] = [[], results];
  const project = new TestProject({ ...files });
  const { port } = server.address() as AddressInfo;
  const env = { A2A_URL: `http://127.0.0.1:${String(port)}/`, A2A_TOKEN: 'secret-of-lawyer' };
  try {
    project.drop('agents/lawyer/inbox/q.md', 'May we?\n');
    return await project.run(['up', '--until-idle', '--plain'], env);
  } finally {
    project.remove();
  }
}

describe('a remote agent as a role', () => {
  it('gets the mail, and its task is followed until it is done', async () => {
    const artifacts = [{ artifactId: 'a', parts: [{ kind: 'text', text: 'You may.' }] }];
    const { stdout } = await asked(task('submitted'), { ...task('completed'), artifacts });
    expect(stdout).toMatch(/lawyer → user: opinion — You may\.[^]*idle: done\n$/);
    const [first, second] = called;
    expect(first).toMatchObject({ method: 'message/send', params: { message: { role: 'user' } } });
    expect(JSON.stringify(first)).toContain('May we?');
    expect(second).toMatchObject({ method: 'tasks/get', params: { id: 'one' } });
  });

  it('may answer at once', async () => {
    expect((await asked(saying('No.'))).stdout).toContain('lawyer → user: opinion — No.');
  });

  it('that wants something else has failed, with its reason', async () => {
    const message = saying('Who are you?');
    const { stdout } = await asked(task('input-required', { message }));
    expect(stdout).toContain('the task is input-required');
    expect(called).toHaveLength(1);
  });
});
