import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { extensions } from '../../src/extensions/list.ts';
import { FakeTerminal } from '../cli/fake-terminal.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type Ran, type TestProject } from '../support/project.ts';

/*
 * Every command once in a process of its own: its exit code and its two streams. All else of a command is tested in the
 * process of its test, which is the same program: what a command prints that changes nothing is compared here.
 */

const workflow = `
name: ship
version: '1'
timeout: 1h
steps:
  build: { command: [echo, built] }
  ask: { depends_on: [build], gate: { message: 'Ship it?' } }
`;

let project: TestProject;
beforeAll(() => {
  project = playProject(
    smallTeam,
    { maker: "send('done', 'user', mail[0]);" },
    { 'workflows/ship.yaml': workflow, 'workflows/one.yaml': workflow.replace(/ {2}ask.*\n/, '') },
  );
});
afterAll(() => project.remove());

/** In this order: the next ones find what the earlier ones have left. `0`: done; `1`: it failed; `2`: nothing started. */
const changing: readonly (readonly [line: string, code: number])[] = [
  ['init new', 0],
  ['init --from-agents', 2],
  ['send maker --message Make', 0],
  ['add role maker', 2],
  ['pause checker', 0],
  ['unpause checker', 0],
  ['up --until-idle', 0],
  ['run one', 0],
  ['run-step one build', 0],
  ['resume nothing', 2],
  ['approve nothing gate', 2],
  ['reject nothing gate', 2],
  ['reply nothing', 2],
  ['cancel t99', 2],
  ['retry t99', 2],
  ['reload', 0],
  ['prune --yes', 0],
  ['undo nothing', 2],
  ['worker', 2],
  ['workers', 2],
  ['nip send', 0],
];

const reading: readonly (readonly [line: string, code: number])[] = [
  ['check', 0],
  ['completion bash', 0],
  ['explain E_BUDGET', 0],
  ['help send', 0],
  ['help errors', 0],
  ['version', 0],
  ['complete mailroom st', 0],
  ['inbox', 0],
  ['stop', 0],
  ['status --json', 0],
  ['why maker', 0],
  ['costs', 0],
  ['trail', 0],
  ['show t1', 0],
  ['worktree list', 0],
  ['workflows', 0],
  ['validate', 0],
  ['plan ship', 0],
  ['graph ship', 0],
  ['runs', 0],
  ['logs nothing', 2],
  ['shows', 2],
];

/** Until a signal or the end of their input. */
const serving: readonly (readonly [line: string, first: string])[] = [
  ['serve --port 0', 'http://'],
  ['watch one', 'SUCCEEDED'],
];

/** Without the times that have passed since something was. */
function untimed({ stdout, ...ran }: Ran): Ran {
  return { ...ran, stdout: stdout.replaceAll(/\d+ ?(?:ms|s|min)\b/g, '<time>') };
}

describe('a command in a process of its own', () => {
  it.each(changing)('%s', async (line, code) => {
    const ran = await finished(project.start(line.split(' ')));
    expect({ line, ...ran }).toMatchObject({ code, signal: null });
    expect(ran.stderr === '').toBe(code === 0);
  });

  it.each(reading)('%s', async (line, code) => {
    const [apart, here] = [
      await finished(project.start(line.split(' '))),
      await project.run(line.split(' ')),
    ];
    expect(untimed(apart)).toEqual(untimed(here));
    expect(apart).toMatchObject({ code, signal: null });
    expect([apart.stdout === '', apart.stderr === '']).toEqual(code === 0 ? [false, true] : [true, false]);
  });

  it.each(serving)('%s', async (line, first) => {
    const child = project.start(line.split(' '));
    const ends = finished(child);
    await said(child, first);
    child.kill('SIGTERM');
    expect((await ends).signal).toBeNull();
  });

  it.each(['mcp', 'lsp', 'doctor'])('%s', async (line) => {
    // Their input is at its end.
    expect([0, 1]).toContain((await finished(project.start([line]))).code);
  });

  it('is played of each', () => {
    const terminal = new FakeTerminal(Date.now);
    const none = () => Promise.reject(new Error('none'));
    const start = { name: 'mailroom', version: '1', environment: {}, cwd: '/', call: none } as const;
    const names = makeProgram(start, terminal, extensions).program.commands.map((command) => command.name());
    const played = [...changing, ...reading, ...serving].map(([line]) => line.split(' ')[0]);
    expect(new Set([...played, 'mcp', 'lsp', 'doctor', 'compare'])).toEqual(
      new Set([...names, 'help', 'shows']),
    );
  });
});
