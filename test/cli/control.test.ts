import { Control } from '../../src/host/control.ts';
import { describe, expect, it } from 'vitest';
import type { ErrorDocument } from '../../src/project/definition/problems.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';
import type { CommandResult } from '../../src/documents/mail.ts';

/** A task that the architect works on. */
function working(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/architect/inbox/a.md', 'Begin\n');
  return fixture;
}

describe('pause and unpause', () => {
  it.each(['architect', 'all'])('are done by the controller: %s', async (target) => {
    const fixture = working();
    expect(await fixture.run('pause', target)).toEqual({
      code: 0,
      out: `pause ${target === 'all' ? 'everything' : target}: done\n`,
      err: '',
    });
    expect(fixture.state.paused.all !== null || fixture.state.paused.roles.has('architect')).toBe(true);
    expect((await fixture.run('unpause', target)).out).toMatch(/: done\n$/);
    expect(fixture.state.paused).toMatchObject({ all: null, roles: new Map() });
  });

  it('hold back a thread, and with --now what runs in it', async () => {
    const fixture = working();
    const thread = fixture.id('Begin');
    const argv = ['pause', thread.slice(-6), '--now'];
    const { code, document } = (await fixture.json(...argv)) as Told<CommandResult>;
    expect(code).toBe(0);
    expect(document).toEqual({
      schema: 1,
      state: 'done',
      verb: 'pause',
      target: { kind: 'thread', thread },
      reason: null,
      controller: true,
      targets: [{ kind: 'thread', thread }],
    });
    expect([...fixture.state.turns.values()]).toMatchObject([{ phase: { is: 'pending' } }]);
  });

  it('are recorded when no controller runs', async () => {
    const fixture = working();
    fixture.up = false;
    expect(await fixture.run('pause', 'qa')).toEqual({
      code: 0,
      out: 'pause qa: recorded, takes effect at the next `mailroom up`\n',
      err: '',
    });
    const [name] = fixture.disk.list('.mailroom/control') ?? [];
    const [file] = new Control(fixture.disk).list();
    expect(file?.name).toBe(name);
    expect(JSON.parse(file?.text ?? '')).toMatchObject({
      verb: 'pause',
      target: { kind: 'role', role: 'qa' },
      now: false,
    });
  });

  it('know the roles of the protocol before anything was started', async () => {
    const fixture = new ProjectFixture();
    fixture.up = false;
    expect(await fixture.run('pause', 'qa')).toEqual({
      code: 0,
      out: 'pause qa: recorded, takes effect at the next `mailroom up`\n',
      err: '',
    });
    expect((await fixture.run('pause', 'nobody')).code).toBe(2);
  });

  it('are refused for what is not there', async () => {
    const fixture = working();
    expect(await fixture.run('pause', 'architec')).toMatchObject({
      code: 2,
      err: 'error E_TARGET: `architec` was not found; expected a role, a thread, `all` or a run\nhint: did you mean `architect`?\n',
    });
    expect((await fixture.run('pause', 't1')).err).toBe(
      'error E_TARGET: `t1` is a turn that is not over\nhint: this takes a role, a thread, `all` or a run\n',
    );
    expect(fixture.disk.list('.mailroom/control') ?? []).toEqual([]);
  });

  it('are ambiguous when a role is called all', async () => {
    const fixture = new ProjectFixture(new ProjectFixture().text.replaceAll('qa', 'all'));
    expect((await fixture.run('pause', 'all')).err).toContain(
      '`all` may be any of these:\n  all  everything\n  all  a role\n',
    );
  });
});

describe('cancel', () => {
  it('ends a turn, and a second time says that it is over', async () => {
    const fixture = working();
    expect((await fixture.run('cancel', 't1')).out).toBe('cancel t1: done\n');
    expect(fixture.state.turns.size).toBe(0);
    expect(await fixture.run('cancel', 't1')).toMatchObject({
      code: 1,
      err: 'error E_REFUSED: turn t1 is over: it is too late to cancel it\n',
    });
    expect((await fixture.run('cancel', 't2')).code).toBe(2);
  });

  it('is refused with the reason of the controller', async () => {
    const fixture = working();
    const thread = fixture.id('Begin');
    expect((await fixture.run('cancel', thread)).code).toBe(0);
    const { code, document } = (await fixture.json('cancel', thread)) as Told<ErrorDocument>;
    expect(code).toBe(1);
    expect(document.error).toMatchObject({
      code: 'E_REFUSED',
      message: `cancel thread …${thread.slice(-6)}: thread ${thread} is over: it is failed`,
    });
  });

  it('takes no role', async () => {
    expect((await working().run('cancel', 'qa')).err).toContain('`qa` is a role\nhint: this takes a turn');
  });

  it('names runs among what it takes', async () => {
    expect((await working().run('cancel', 'zzzz')).err).toBe(
      'error E_TARGET: `zzzz` was not found; expected a turn that is not over, a thread or a run\nhint: list what runs and waits with `mailroom status`\n',
    );
  });
});

describe('retry', () => {
  it('puts a dead letter back', async () => {
    const fixture = working();
    const id = fixture.id('Begin');
    expect((await fixture.run('retry', id)).err).toMatch(/^error E_REFUSED: message .* has not failed/);
    await fixture.run('cancel', 't1');
    expect(fixture.state.mail.get(id)?.deliveries.get('architect')?.at).toBe('failed');
    const { code, out } = await fixture.run('retry', id.slice(-6));
    expect(code).toBe(0);
    expect(out).toMatch(/^retry \d{8}T\d{9}Z-task-[0-9a-f-]{36}\.md for architect: done\n$/);
    expect([...fixture.state.turns.values()]).toMatchObject([{ role: 'architect' }]);
  });

  it('puts back what was withdrawn by hand', async () => {
    const fixture = working();
    fixture.drop('agents/architect/inbox/b.md', 'Then\n');
    const id = fixture.id('Then');
    const waiting = () =>
      (fixture.disk.list('agents/architect/inbox') ?? []).filter((name) => name.includes(id.slice(-6)));
    const [name = ''] = waiting();
    fixture.disk.remove(`agents/architect/inbox/${name}`);
    fixture.look();
    fixture.now += 1_000;
    fixture.look();
    expect(fixture.state.mail.get(id)?.deliveries.get('architect')?.at).toBe('withdrawn');
    expect(await fixture.run('retry', id)).toEqual({
      code: 0,
      out: `retry ${name} for architect: done\n`,
      err: '',
    });
    expect(waiting()).toEqual([name]);
  });

  it('says of what waits that it has not failed', async () => {
    const fixture = working();
    fixture.drop('agents/architect/inbox/b.md', 'Then\n');
    expect(await fixture.run('retry', fixture.id('Then'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has not failed: .* what waits or is done cannot be retried/) as string,
    });
  });
});
