import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Upped } from './world.ts';

const steps = `steps:\n  say: { command: [node, -e, "console.log('done')"] }\n`;
const head = `name: w\nversion: "1"\ntimeout: 1m\n`;
const open: Upped[] = [];

function upped(triggers: string, files: Readonly<Record<string, string>> = {}, body = steps): Upped {
  const world = new Upped(`${head}triggers:\n${triggers}${body}`, files);
  open.push(world);
  return world;
}

afterEach(async () => {
  for (const world of open.splice(0)) await world.remove();
});

describe('up', () => {
  it('starts a run at a time of a crontab, and says so', async () => {
    const world = upped('  clock: { cron: "* * * * *" }\n');
    const said = await world.up('of w SUCCEEDED in');
    const [run = ''] = await world.closed(1);
    expect(said).toContain(`▸ run …${run.slice(-6)} of w begins: clock\n`);
    expect(world.trigger(run)).toMatchObject({ name: 'clock', kind: 'cron', count: 1 });
  });

  it('warns once of a secret that cannot be masked everywhere', async () => {
    const world = upped(
      '  poll: { command: [cat, head], every: 1h }\n',
      {
        'workflows/v.yaml': `${head.replace('w', 'v')}secrets: [API_KEY]\ntriggers:\n  clock: { cron: "0 0 1 1 *" }\n${steps}`,
      },
      `secrets: [API_KEY, OTHER_KEY]\n${steps}`,
    );
    const said = await world.up('API_KEY', { API_KEY: 'output', OTHER_KEY: 'hunter-two' });
    expect(said.split('the value of the secret `API_KEY` is a common word')).toHaveLength(2);
    expect(said).not.toContain('OTHER_KEY');
  });

  it('starts a run when a file has changed, and not for the files that were there', async () => {
    const world = upped('  src: { files: ["src/**/*.ts", "!src/**/*.gen.ts"], debounce: 50ms }\n', {
      'src/a.ts': '1',
    });
    await world.up('quiet');
    world.project.write('src/b.gen.ts', '1');
    world.project.write('src/deep/c.ts', '1');
    const [run = ''] = await world.closed(1);
    expect(world.trigger(run)).toMatchObject({ name: 'src', kind: 'files', files: ['src/deep/c.ts'] });
  });

  it('asks a person before a run where its trigger says so', async () => {
    const world = upped('  src: { files: [src/a], debounce: 50ms, by: person }\n');
    await world.up('quiet');
    world.project.write('src/a', '1');
    await world.until(() => waiting(world) !== null);
    const run = waiting(world) ?? '';
    expect((await world.project.run(['status'])).stdout).toContain(`\`mailroom approve ${run}\``);
    expect(world.runs()).toEqual([]);
    const unfit = await world.project.run(['approve', run, '--comment', 'Yes']);
    expect(unfit).toMatchObject({ code: 2, stdout: '' });
    expect(unfit.stderr).toContain('--comment says nothing to a run that a trigger asks for');
    const said = await world.project.run(['approve', run, '--as', 'ada b.']);
    expect(said.stdout).toBe('workflows/w.yaml: `mailroom up` starts it\n');
    expect(await world.closed(1)).toEqual([run]);
    const runs = await world.project.run(['runs', '--json']);
    expect(JSON.parse(runs.stdout)).toMatchObject([{ run, started_by: 'up', person: 'ada b.' }]);
    expect(world.trigger(run)).toMatchObject({ name: 'src', files: ['src/a'] });
  });

  it('starts a run when a command prints something else', async () => {
    const world = upped('  poll: { command: [cat, head], every: 100ms }\n', { head: 'one\n' });
    await world.up('quiet');
    const memory = () => world.project.list('.mailroom').includes('triggers') && printed(world);
    await world.until(() => memory() === 'one');
    world.project.drop('head', 'two\n');
    const [run = ''] = await world.closed(1);
    expect(world.trigger(run)).toMatchObject({ name: 'poll', output: 'two', previous: 'one' });
  });

  it('starts a run for a signed request, and answers with its id', async () => {
    const world = upped('  hook: { webhook: /hooks/w, secret: HOOK_KEY }\n');
    const said = await world.up('/hooks/w', { HOOK_KEY: 'sesame' });
    const url = /http:\S+\/hooks\/w/.exec(said)?.[0] ?? '';
    const body = '{"ref":"main"}';
    const refused = await fetch(url, { method: 'POST', body, headers: signed('wrong', body) });
    expect(refused.status).toBe(401);
    const taken = await fetch(url, { method: 'POST', body, headers: signed('sesame', body) });
    expect(taken.status).toBe(202);
    const { run } = (await taken.json()) as { run: string };
    expect(await world.closed(1)).toEqual([run]);
    expect(world.trigger(run)).toMatchObject({ name: 'hook', path: '/hooks/w', body: { ref: 'main' } });
  });

  it('starts runs at an interval, and none by a trigger that is not enabled', async () => {
    const world = upped('  off: { every: 50ms, enabled: false }\n  tick: { every: 50ms }\n');
    await world.up('of w SUCCEEDED in');
    const runs = await world.closed(2);
    expect(runs.map((run) => world.trigger(run)['name'])).not.toContain('off');
    expect(world.trigger(runs[0] ?? '')).toMatchObject({ name: 'tick', kind: 'interval' });
    const { stdout } = await world.project.run(['status', '--json']);
    const { triggers } = JSON.parse(stdout) as { triggers: { name: string; why: string | null }[] };
    expect(triggers.map(({ name, why }) => [name, why])).toEqual([
      ['off', 'it has `enabled: false`'],
      ['tick', null],
    ]);
  });

  it('starts a run only for a payload that fits the filter, and does not listen where not enabled', async () => {
    const world = upped(
      [
        `  hook: { webhook: /hooks/w, secret: HOOK_KEY, filter: "\${{ trigger.body.ref == 'main' }}" }\n`,
        '  off: { webhook: /hooks/off, secret: HOOK_KEY, enabled: false }\n',
      ].join(''),
    );
    const said = await world.up('/hooks/w', { HOOK_KEY: 'sesame' });
    const url = /http:\S+\/hooks\/w/.exec(said)?.[0] ?? '';
    const post = async (address: string, body: string) => {
      const answer = await fetch(address, { method: 'POST', body, headers: signed('sesame', body) });
      return { status: answer.status, document: await answer.json() };
    };
    expect(await post(url, '{"ref":"topic"}')).toEqual({ status: 202, document: { run: null } });
    expect(await post(url.replace('/w', '/off'), '{"ref":"main"}')).toMatchObject({ status: 404 });
    const { document } = await post(url, '{"ref":"main"}');
    expect(await world.closed(1)).toEqual([(document as { run: string }).run]);
  });

  it('says of a trigger whose port is in use that it is not listening, and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const world = upped('  hook: { webhook: /hooks/w, secret: HOOK_KEY }\n', {
        'mailroom.yaml': `trail: off\nsandbox: off\nwebhooks: { port: ${String(port)} }\n`,
      });
      const said = await world.up('cannot listen', { HOOK_KEY: '' });
      expect(said).toContain(
        ' workflows/w.yaml: the trigger hook is not listening yet, and refuses every request: set the environment variable HOOK_KEY and restart\n',
      );
      expect(said).toContain(
        ` cannot listen for webhooks on port ${String(port)}: another program uses it; free the port, or set another one with \`webhooks: { port: N }\` in mailroom.yaml and restart\n`,
      );
      const status = async () => (await world.project.run(['status'])).stdout;
      const refused = `cannot listen for webhooks on port ${String(port)}: another program uses it`;
      await expect.poll(status).toContain(refused);
    } finally {
      other.close();
    }
  });

  it('starts a run when a role gets a message of a type', async () => {
    const world = upped('  mail: { message: { role: maker, type: task } }\n');
    await world.up('quiet');
    world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
    const [run = ''] = await world.closed(1);
    expect(world.trigger(run)).toMatchObject({
      name: 'mail',
      role: 'maker',
      message: { type: 'task', from: 'user', body: expect.stringContaining('Do it') as string },
    });
  });

  it('starts no workflow that has changed, until a person confirms it', async () => {
    const world = upped('  mail: { message: { role: maker, type: task } }\n');
    await world.up('quiet');
    const changed = world.project
      .read('workflows/w.yaml')
      .replace("console.log('done')", "console.log('new')");
    world.project.write('workflows/w.yaml', changed);
    world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
    await world.until(() => world.heard.includes('has changed since'));
    expect(world.heard).toContain(
      'workflows/w.yaml: it has changed since `up` started, so it is not started: workflows/w.yaml; look at the change, then run `mailroom reload workflows/w.yaml`',
    );
    expect(world.runs()).toEqual([]);
    expect(
      await world.project.run(['reload'], { MAILROOM_TURN: 't1', MAILROOM_ROLE: 'maker' }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('E_INSIDE_TURN') as string,
    });
    expect(await world.project.run(['reload'])).toMatchObject({
      code: 0,
      stdout: 'workflows/w.yaml: confirmed; changed: workflows/w.yaml\n',
    });
    const [run = ''] = await world.closed(1);
    expect(world.events(run).findLast(({ type }) => type === 'closed')).toMatchObject({
      status: 'SUCCEEDED',
    });
    expect(await world.project.run(['reload', 'w'])).toMatchObject({ stdout: 'nothing has changed\n' });
  });

  const parts = {
    'workflows/parts/native.yaml': `${head}${steps}`,
    'workflows/parts/ship.yaml': `workflow: { id: ship, name: Ship, version: 1.0.0 }
context: { global_modules: ['ctx:rules'] }
stages: [{ id: one, name: One, roles: { primary: { artifact: 'agent:x', model: opus } } }]
`,
    '.claude/agents/x.md': '---\nname: x\ntools: Read\n---\nLook.\n',
    'modules/rules.md': 'Be kind.\n',
  };
  it.each([
    ['a sub-workflow', 'native', 'workflows/parts/native.yaml', `${head}${steps}# Changed\n`],
    ['an agent', 'ship', '.claude/agents/x.md', '---\nname: x\ntools: Read, Write, Bash\n---\nLook.\n'],
    ['a module', 'ship', 'modules/rules.md', 'Be mean.\n'],
    [
      'overrides',
      'ship',
      '.skillmeat-workflow-overrides.yaml',
      'overrides: { ship: { stages: { one: { roles: { primary: { model: sonnet } } } } } }\n',
    ],
    [
      'overrides of the folder',
      'ship',
      'workflows/overrides.yaml',
      'overrides: { ship: { stages: { one: { roles: { primary: { model: sonnet } } } } } }\n',
    ],
  ])('starts no workflow of which %s has changed', async (_, part, file, text) => {
    const body = `steps:\n  say: { workflow: parts/${part}.yaml }\n`;
    const world = upped('  mail: { message: { role: maker, type: task } }\n', parts, body);
    await world.up('quiet');
    world.project.write(file, text);
    world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
    await world.until(() => world.heard.includes('run `mailroom reload workflows/w.yaml`'));
    expect(world.runs()).toEqual([]);
  });

  it('means a sub-workflow that has changed, too, and every workflow as it is at the start', async () => {
    const sub = `name: s\nversion: "1"\ntimeout: 1m\nsteps: { say: { command: [echo, old] } }\n`;
    const triggers = '  mail: { message: { role: maker, type: task } }\n';
    const world = upped(
      triggers,
      { 'parts/sub.yaml': sub },
      'steps: { sub: { workflow: ../parts/sub.yaml } }\n',
    );
    await world.up('quiet');
    world.project.write('parts/sub.yaml', sub.replace('old', 'new'));
    world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
    await world.until(() => world.heard.includes('has changed since'));
    expect(world.runs()).toEqual([]);
    await world.end('SIGKILL');
    await world.up('quiet');
    await world.closed(1);
  });

  it('works in a project without a protocol, which `check` finds right', async () => {
    const world = new Upped(`${head}triggers: { clock: { every: 1s } }\n${steps}`, {}, null);
    open.push(world);
    expect(await world.project.run(['check'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok: 1 workflow/) as string,
    });
    await world.up('only workflows');
    const [run = ''] = await world.closed(1);
    expect(world.trigger(run)).toMatchObject({ name: 'clock', kind: 'interval' });
    expect(world.project.list('agents')).toEqual(['user']);
  });

  it('says that nothing would ever happen where there is neither a protocol nor a trigger', async () => {
    const world = new Upped(`${head}${steps}`, {}, null);
    open.push(world);
    expect(await world.project.run(['up', '--until-idle'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_NO_PROJECT: nothing would ever happen here') as string,
    });
  });

  it('continues with a run that it was killed in, and gives up after three times', async () => {
    const world = upped('  clock: { message: { role: maker, type: task } }\n', {}, killing);
    for (let time = 1; time <= 3; time += 1) {
      await world.up('quiet');
      if (time === 1) world.project.drop('agents/maker/inbox/hello.md', 'Do it\n');
      await world.until(() => world.runs().some((run) => began(world, run) === time));
      await world.end('SIGKILL');
    }
    await world.up('quiet');
    const [run = '', ...more] = await world.closed(1);
    expect(more).toEqual([]);
    expect(
      world
        .events(run)
        .filter(({ type }) => type === 'resumed')
        .map(({ by }) => by),
    ).toEqual(['up', 'up', 'up']);
    expect(world.events(run).findLast(({ type }) => type === 'closed')).toMatchObject({ status: 'FAILED' });
  });
});

const killing = `steps:\n  hang: { command: [sh, -c, "echo began >> began; sleep 1000"], on_failure: abort }\n`;

/** How often the step of the last test has begun. */
function began(world: Upped, run: string): number {
  const launched = world.project.list('').includes('began') ? world.project.read('began') : '';
  return world.events(run).length > 0 ? launched.split('began').length - 1 : 0;
}

function signed(key: string, body: string): Record<string, string> {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` };
}

/** The run that the trigger `src` asks for. */
function waiting(world: Upped): string | null {
  const [name = ''] = world.project.list('.mailroom').includes('triggers')
    ? world.project.list('.mailroom/triggers').filter((each) => each.endsWith('.json'))
    : [];
  if (name === '') return null;
  const { memory } = JSON.parse(world.project.read(`.mailroom/triggers/${name}`)) as {
    memory: { triggers: { src?: { waiting: { run: string } | null } } };
  };
  return memory.triggers.src?.waiting?.run ?? null;
}

function printed(world: Upped): string | null {
  const [name = ''] = world.project.list('.mailroom/triggers').filter((each) => each.endsWith('.json'));
  if (name === '') return null;
  const { memory } = JSON.parse(world.project.read(`.mailroom/triggers/${name}`)) as {
    memory: { triggers: { poll?: { printed: string | null } } };
  };
  return memory.triggers.poll?.printed ?? null;
}
