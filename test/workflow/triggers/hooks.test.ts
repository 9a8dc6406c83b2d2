import { afterEach, expect, it } from 'vitest';
import { Upped } from './world.ts';

const open: Upped[] = [];
const head = 'name: w\nversion: "1"\ntimeout: 1m\n';
const log = (words: string) => `[sh, -c, 'echo "$0 $MAILROOM_STATUS" >> hooks.log', "${words}"]`;

function world(text: string, protocol?: null): Upped {
  const made = new Upped(`${head}${text}`, {}, protocol);
  open.push(made);
  return made;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

it('runs the hooks of a run that succeeds, each once', async () => {
  const { project } = world(`hooks:
  on_start: { run: ${log('begins ${{ workflow.name }}')} }
  on_complete: { run: ${log('said ${{ steps.say.output }}')} }
  on_failure: { run: ${log('failed')} }
steps:
  say: { command: [echo, hello] }
`);
  expect(await project.run(['run', 'w'])).toMatchObject({ code: 0 });
  expect(project.read('hooks.log')).toBe('begins w RUNNING\nsaid hello SUCCEEDED\n');
});

it('gives hooks what steps know of the run, and those of the end how it ended', async () => {
  const { project } = world(`hooks:
  on_start: { run: [sh, -c, 'echo "$0" >> hooks.log', "\${{ run.id == run.root }} \${{ workflow.version }}"] }
  on_failure: { run: [sh, -c, 'echo "$0" >> hooks.log', "\${{ run.status }} \${{ join(run.failed, ' ') }} \${{ run.cost.usd }}: \${{ run.reason }}"] }
steps:
  soft: { command: [sh, -c, "exit 2"], on_failure: continue }
  hard: { command: [sh, -c, "exit 2"], on_failure: abort, depends_on: [soft] }
`);
  expect(await project.run(['run', 'w'])).toMatchObject({ code: 1 });
  expect(project.read('hooks.log')).toMatch(/^true 1\nFAILED soft hard 0: .*2/);
});

it('reports a hook that fails as it happens, and in `show`', async () => {
  const { project } = world(`hooks:
  on_start: { run: [sh, -c, "echo broken >&2; exit 3"] }
steps:
  say: { command: [sh, -c, "true"] }
`);
  const { stdout } = await project.run(['run', 'w']);
  expect(stdout).toContain('✗ hook on_start: `sh` ended with 3: broken\n');
  const [run = ''] = project.list('.mailroom/runs');
  expect((await project.run(['show', run])).stdout).toMatch(
    /^warning +hook on_start: `sh` ended with 3: broken$/m,
  );
});

it('names the program of a hook that is not there', async () => {
  const { project } = world(`hooks:
  on_complete: { run: [no-such-program, x] }
steps:
  say: { command: [echo, hello] }
`);
  const { stdout } = await project.run(['run', 'w', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    warnings: [
      'hook on_complete: `no-such-program` ended with 127: it, or a program that it starts, was not found',
    ],
  });
});

it('reports a hook that fails in the document of the run, which it does not change', async () => {
  const { project } = world(`hooks:
  on_complete: { run: [sh, -c, "echo broken >&2; exit 3"] }
steps:
  say: { command: [echo, hello] }
`);
  const { code, stdout } = await project.run(['run', 'w', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'SUCCEEDED',
    warnings: ['hook on_complete: `sh` ended with 3: broken'],
  });
});

it.each([
  ['', undefined],
  [', without a protocol', null],
])('puts a notice of a failed run into the inbox of a person once the mail moves%s', async (_, protocol) => {
  const { project } = world(
    `hooks:
  on_failure: { notify: user }
steps:
  no: { command: [sh, -c, "exit 2"], on_failure: abort }
`,
    protocol,
  );
  expect(await project.run(['run', 'w'])).toMatchObject({ code: 1 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const [name = '', ...more] = project.list('agents/user/inbox');
  expect(more).toEqual([]);
  expect(project.read(`agents/user/inbox/${name}`)).toMatch(/type: notice[^]*w has ended: FAILED/);
});
