import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { McpTools } from '../support/mcp.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';
import { Server } from '../support/server.ts';

/** The last line of a command is its seal. */
const withoutSeal = (text: string) => text.trimEnd().split('\n').slice(0, -1).join('\n');

/*
 * Who answered is who answered, by whatever way: `--as`, else `$MAILROOM_USER`, else the user name.
 * Nobody takes over the name of the only one who may answer.
 */

let project: TestProject;
afterEach(() => project.remove());

const [carol, zoe] = [{ MAILROOM_USER: 'carol' }, { MAILROOM_USER: 'zoe' }];
const me = userInfo().username;

const gate = `name: ship
version: '1'
timeout: 5m
steps:
  ask: { gate: { message: "Ship it?", approvers: [carol] } }
`;

/** A run without a process that waits for carol: what is recorded for it is in its folder. */
async function waiting(): Promise<{ run: string; recorded: () => readonly object[] }> {
  project = playProject(smallTeam, {}, { 'workflows/ship.yaml': gate });
  const child = project.start(['run', 'ship']);
  await said(child, 'mailroom approve');
  child.kill('SIGKILL');
  await finished(child);
  const [run = ''] = project.list('.mailroom/runs');
  const folder = `.mailroom/runs/${run}/control`;
  const recorded = () =>
    project.list(folder).map((name) => JSON.parse(withoutSeal(project.read(`${folder}/${name}`))) as object);
  return { run, recorded };
}

it('a gate records who answers it, and refuses whoever is not among its approvers', async () => {
  const { run, recorded } = await waiting();
  const end = run.slice(-6);
  for (const verb of ['approve', 'reject'])
    for (const [words, environment, name] of [
      [[], {}, me],
      [[run], zoe, 'zoe'],
      [[run, 'ask'], { MAILROOM_USER: '' }, me],
      [[run, 'ask', '--as', 'zoe'], carol, 'zoe'],
      [['@1', '--as', 'Carol'], carol, 'Carol'],
    ] as const) {
      const { code, stderr } = await project.run([verb, ...words], environment);
      expect([words, code, stderr]).toEqual([
        words,
        1,
        `error E_REFUSED: ${name} must not ${verb} the gate ask: its approvers are carol\n` +
          `hint: nothing was recorded; one of them runs \`mailroom ${verb} ${end} ask --as carol\`\n`,
      ]);
    }
  expect(recorded()).toEqual([]);
  expect(await project.run(['reject', run, 'ask'], carol)).toMatchObject({ code: 0 });
  expect(recorded()).toMatchObject([{ verb: 'reject', by: 'carol' }]);
  project.remove();
  const other = await waiting();
  expect(await project.run(['approve', other.run, 'ask', '--as', 'carol'], zoe)).toMatchObject({ code: 0 });
  expect(other.recorded()).toMatchObject([{ verb: 'approve', by: 'carol' }]);
});

/** Approves the gate of a run; resolves to whether it was taken, and what was said. */
type Approving = (run: string, environment: Readonly<Record<string, string>>) => Promise<[boolean, string]>;

const byTools: Approving = async (run, environment) => {
  const tools = await McpTools.open(project, environment, ['--approve']);
  const told = await tools.call('approve', { id: `${run}/ask`, verdict: 'approve' });
  await tools.close();
  return [!told.isError, told.text];
};

const byApi: Approving = async (run, environment) => {
  const server = await Server.start(project, environment);
  const response = await server.post(`/api/v1/workflow-runs/${run}/gates/ask/approve`, {});
  const text = await response.text();
  await server.stop();
  // The next one makes a key of its own name.
  rmSync(join(project.root, '.mailroom/api'), { recursive: true });
  expect([202, 403]).toContain(response.status);
  return [response.status === 202, text];
};

it.each([
  ['the tools', byTools],
  ['the API', byApi],
])('%s record who asks, and refuse the same', async (_, approve) => {
  const { run, recorded } = await waiting();
  for (const [environment, name] of [
    [zoe, 'zoe'],
    [{}, me],
  ] as const) {
    const refusal = `${name} must not approve the gate ask: its approvers are carol`;
    expect(await approve(run, environment)).toEqual([false, expect.stringContaining(refusal)]);
  }
  expect(recorded()).toEqual([]);
  expect((await approve(run, carol))[0]).toBe(true);
  expect(recorded()).toMatchObject([{ by: 'carol' }]);
});
