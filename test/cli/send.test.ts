import { describe, expect, it } from 'vitest';
import type { ErrorDocument } from '../../src/project/definition/problems.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter } from './team.ts';
import type { Sending } from '../../src/documents/mail.ts';

describe('send', () => {
  it('opens no thread with an answer to nothing', async () => {
    const fixture = new ProjectFixture();
    const refused = {
      code: 1,
      err:
        'error E_FORBIDDEN: user may send qa only answers: answer\n' +
        'hint: answer a message with `mailroom reply`; `mailroom inbox` lists what waits\n',
    };
    expect(await fixture.run('send', 'qa', '-m', 'Look at this')).toMatchObject(refused);
    expect(fixture.state.mail.size).toBe(0);
    expect(fixture.disk.list('agents/user/outbox') ?? []).toEqual([]);
  });

  it('reports the id that the controller gave', async () => {
    const fixture = new ProjectFixture();
    const { code, out } = await fixture.run('send', 'architect', '-m', 'Add a flag');
    const id = fixture.id('Add a flag');
    expect({ code, out }).toEqual({ code: 0, out: `sent ${id} (task to architect, thread ${id})\n` });
    expect(fixture.state.mail.get(id)?.message).toMatchObject({ from: 'user', body: 'Add a flag\n' });
  });

  it('records the message when no controller runs', async () => {
    const fixture = new ProjectFixture();
    fixture.up = false;
    const { code, document } = (await fixture.json('send', 'architect', '-m', 'Add a flag')) as Told<Sending>;
    expect(code).toBe(0);
    expect(document).toMatchObject({ schema: 1, state: 'recorded', controller: false });
    const [name] = fixture.disk.list('agents/user/outbox') ?? [];
    expect(document).toMatchObject({ path: `agents/user/outbox/${name ?? ''}` });
    expect((await fixture.run('send', 'architect', '-m', 'More')).out).toMatch(
      /^recorded in agents\/user\/outbox\/send-[0-9a-f]{12}\.md; no controller runs, the next `mailroom up` sends it\n$/,
    );
  });

  it('says so when the same message is already recorded: a killed command may have done that', async () => {
    const fixture = new ProjectFixture();
    fixture.up = false;
    expect((await fixture.run('send', 'architect', '-m', 'Add a flag')).err).toBe('');
    expect((await fixture.run('send', 'architect', '-m', 'Add another')).err).toBe('');
    const [name = ''] = (fixture.disk.list('agents/user/outbox') ?? []).toSorted();
    expect(await fixture.run('send', 'architect', '-m', 'Add a flag')).toMatchObject({
      code: 0,
      err: `note: the same message is already there: agents/user/outbox/${name}; this is a second one\n`,
    });
    expect(fixture.disk.list('agents/user/outbox')).toHaveLength(3);
  });

  it('says so when the same message was accepted within ten minutes', async () => {
    const fixture = new ProjectFixture();
    await fixture.run('send', 'architect', '-m', 'Add a flag');
    const id = fixture.id('Add a flag');
    expect((await fixture.run('send', 'architect', '-m', 'Add another')).err).toBe('');
    fixture.now += 590_000;
    expect((await fixture.run('send', 'architect', '-m', 'Add a flag')).err).toBe(
      `note: the same message is already there: ${id}; this is a second one\n`,
    );
    fixture.now += 600_000;
    expect((await fixture.run('send', 'architect', '-m', 'Add a flag')).err).toBe('');
  });

  it('says so when the controller does not take it in time', async () => {
    const fixture = new ProjectFixture();
    const call = fixture.call();
    const project = fixture.project();
    const deaf = Object.assign(project, {
      changed: (milliseconds: number) => {
        fixture.now += milliseconds;
        return Promise.resolve();
      },
    });
    const { runCli } = await import('../../src/cli/main.ts');
    const before = fixture.now;
    const argv = ['send', 'architect', '-m', 'x'];
    const start = fixture.start(Object.assign(call, { openProject: () => deaf }));
    const code = await runCli(argv, start, fixture.terminal);
    expect(code).toBe(0);
    expect(fixture.terminal.out).toContain('the controller has not read it yet');
    expect(fixture.now - before).toBe(5_000);
  });

  it.each([
    ['a file', ['text.md'], ''],
    ['-', ['-'], 'From there'],
    ['standard input', [], 'From there'],
  ])('takes the text from %s', async (_, argv, input) => {
    const fixture = new ProjectFixture();
    fixture.files.set('/project/text.md', 'From there\n');
    fixture.terminal.piped = () => input !== '';
    fixture.terminal.input = input;
    expect((await fixture.run('send', 'architect', ...argv)).code).toBe(0);
    expect(fixture.state.mail.get(fixture.id('From there'))?.message.body).toBe('From there\n');
  });

  it('takes what `--message` gives as the text, whatever stands at its head', async () => {
    const fixture = new ProjectFixture();
    const text = '---\ntype: verdict\n---\n# Heading';
    expect((await fixture.run('send', 'architect', '-m', text, '--subject', 'Quoted')).code).toBe(0);
    const { message } = fixture.state.mail.get(fixture.id('Quoted'))!;
    expect([message.type, message.body]).toEqual(['task', `${text}\n`]);
  });

  it.each([
    [
      ['nowhere.md'],
      'error E_USAGE: there is no file nowhere.md\nhint: pass the text with `--message TEXT`\n',
    ],
    [[], 'error E_USAGE: there is no text to send\nhint: give a file, `-` or `--message TEXT`\n'],
    [['a.md', '-m', 'x'], 'error E_USAGE: there is a file and a --message: say one of them\n'],
    [['-m', ' '], /^error E_USAGE: there is nothing to send: --message is empty\n/],
    [['-m', 'x', '--field', 'size'], /`--field size` has no value/],
    [['-m', 'x', '--type', 'taks'], /E_UNKNOWN_NAME: there is no type `taks`\nhint: did you mean `task`\?/],
  ])('refuses %j with exit code 2', async (argv, text) => {
    const fixture = new ProjectFixture();
    const { code, err } = await fixture.run('send', 'architect', ...argv);
    expect(code).toBe(2);
    expect(err).toMatch(text);
    expect(fixture.disk.list('agents/user/outbox') ?? []).toEqual([]);
  });

  it('names the role that was probably meant', async () => {
    const { code, err } = await new ProjectFixture().run('send', 'architec', '-m', 'x');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error E_UNKNOWN_NAME: there is no role `architec`\nhint: did you mean `architect`?\n',
    });
  });

  it('asks for the type where there is a choice', async () => {
    const fixture = new ProjectFixture();
    expect(await fixture.run('send', 'engineer', '-m', 'x')).toMatchObject({
      code: 2,
      err: 'error E_USAGE: user may send engineer messages of several types\nhint: add --type with one of chore, errand\n',
    });
    expect((await fixture.run('send', 'engineer', '-m', 'x', '--type', 'errand')).code).toBe(0);
  });

  it('names the person who may write where another one must not', async () => {
    const fixture = new ProjectFixture();
    const hint = '\nhint: lead may: add `--as lead`\n';
    fixture.text = fixture.text
      .replace('task: { from: [user]', 'task: { from: [lead]')
      .replace('errand: { from: [user, lead]', 'errand: { from: [lead]')
      .replace('chore: { from: [user]', 'chore: { from: [lead]')
      .replace(/^start: .*\n/m, '');
    const refusal = async (role: string) => (await fixture.run('send', role, '-m', 'x')).err;
    expect(await refusal('architect')).toBe(`error E_FORBIDDEN: user must not write to architect${hint}`);
    expect(await refusal('engineer')).toBe(
      `error E_FORBIDDEN: user may send engineer only answers: answer${hint}`,
    );
  });

  it('says what to edit where nothing may be sent', async () => {
    const { code, err } = await new ProjectFixture().run('send', 'user', '--as', 'lead', '-m', 'x');
    expect(code).toBe(1);
    expect(err).toContain('error E_FORBIDDEN: lead must not write to user\n');
    expect(err).toContain('; to allow it, name user under `to` of a message type in protocols/\n');
  });

  it('reads fields as JSON, unless they are texts', async () => {
    const fixture = new ProjectFixture();
    const fields = ['size=3', 'name=42', 'urgent=true'].flatMap((field) => ['--field', field]);
    expect((await fixture.run('send', 'engineer', '--type', 'chore', ...fields, '-m', 'x')).code).toBe(0);
    expect(fixture.state.mail.get(fixture.id('x'))?.message.fields).toEqual({
      size: 3,
      name: '42',
      urgent: true,
    });
  });

  it('says at once what the protocol forbids, and sends nothing', async () => {
    const fixture = new ProjectFixture();
    const { code, document } = (await fixture.json(
      'send',
      'engineer',
      '--type',
      'chore',
      '--field',
      'size=big',
      '-m',
      'x',
    )) as Told<ErrorDocument>;
    expect(code).toBe(1);
    expect(document.error).toEqual({
      code: 'E_FORBIDDEN',
      severity: 'error',
      message: 'field `size` must be an integer, not "big"',
      file: null,
      line: null,
      column: null,
      endLine: null,
      endColumn: null,
      hint: 'nothing was sent',
    });
    expect(fixture.state.mail.size).toBe(0);
  });

  it('attaches nothing from outside the project', async () => {
    expect(
      await new ProjectFixture().run('send', 'architect', '-m', 'x', '--attach', '../secrets'),
    ).toMatchObject({
      code: 3,
      err:
        'error E_PATH: the path `../secrets` would leave the project\n' +
        'hint: paths are relative to the project, without `..`\n',
    });
  });

  it('tells what the controller refuses that has another protocol', async () => {
    const fixture = new ProjectFixture();
    fixture.look();
    fixture.text = fixture.text.replace(
      'task: { from: [user]',
      'tusk: { from: [user], to: [qa] }\n  task: { from: [user]',
    );
    const { code, err } = await fixture.run('send', 'qa', '-m', 'x', '--type', 'tusk');
    expect(code).toBe(1);
    expect(err).toMatch(/^error E_MESSAGE: there is no type `tusk`/);
  });

  it('fills in what was not said by the protocol as it is written, while the controller has an older one', async () => {
    const fixture = new ProjectFixture();
    fixture.look();
    const { code, out } = await fixture.run('send', 'architect', '-m', 'x');
    expect(code).toBe(0);
    expect(out).toContain('(task to architect, ');
    fixture.text = 'roles: [';
    expect(await fixture.run('send', 'architect', '-m', 'x')).toMatchObject({
      code: 2,
      err:
        'error E_USAGE: the type cannot be inferred: the protocol is invalid\n' +
        'hint: `mailroom check` shows what is wrong with it; or add --type\n',
    });
  });

  it('speaks for another person with --as, and into a thread', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/architect/inbox/a.md', 'Begin\n');
    const thread = fixture.id('Begin');
    const argv = ['--as', 'lead', '--thread', thread.slice(-6), '--subject', 'By the way', '-m', 'A text'];
    expect((await fixture.run('send', 'engineer', ...argv)).code).toBe(0);
    expect(fixture.state.mail.get(fixture.id('By the way'))?.message).toMatchObject({ from: 'lead', thread });
  });

  it('goes by the front matter of the text where nothing else is said', async () => {
    const fixture = new ProjectFixture();
    const text = '---\ntype: errand\nsubject: From the file\nmine: kept\n---\nThe text.\n';
    fixture.files.set('/project/text.md', text);
    expect((await fixture.run('send', 'engineer', 'text.md')).code).toBe(0);
    const { message } = fixture.state.mail.get(fixture.id('From the file'))!;
    expect(message).toMatchObject({ type: 'errand', body: 'The text.\n', extra: { mine: 'kept' } });
  });

  it('shows where the front matter of the text is wrong', async () => {
    const fixture = new ProjectFixture();
    fixture.files.set('/project/text.md', '---\ntype: [a\n---\nThe text.\n');
    const { code, err } = await fixture.run('send', 'engineer', 'text.md');
    expect(code).toBe(2);
    expect(err).toMatch(/^text\.md:\d+:\d+: error E_MESSAGE: .*\n.*\n +\^/);
  });
});

const done = letter('delivered', 'user', 'Done', '', 'It is in.\n');

describe('send --wait', () => {
  it('prints what comes and ends with the thread', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.look(),
      () => fixture.work('engineer', { files: { 'd.md': done } }),
    );
    const { code, out, err } = await fixture.run(
      'send',
      'engineer',
      '--type',
      'errand',
      '-m',
      'Go',
      '--wait',
    );
    expect(code).toBe(0);
    expect(err).toMatch(/^sent /);
    expect(out).toBe(`engineer: delivered — Done (…${fixture.id('Done').slice(-6)})\n\nIt is in.\n\n`);
  });

  it('is one document with --json, and exit code 1 when nothing comes of it', async () => {
    const fixture = new ProjectFixture();
    const fail = () => fixture.work('engineer', { fails: 'it broke' });
    fixture.meanwhile.push(
      () => fixture.look(),
      fail,
      () => (fixture.now += 600_000),
      () => fixture.look(),
      fail,
    );
    const argv = ['send', 'engineer', '--type', 'errand', '-m', 'Go', '--wait'];
    const { code, document } = (await fixture.json(...argv)) as Told<{
      thread_state: string;
      messages: unknown[];
    }>;
    expect(document).toMatchObject({ schema: 1, state: 'accepted', thread_state: 'quiet', messages: [] });
    expect(code).toBe(1);
  });

  it('waits for a controller too, and hears it when that one refuses the message', async () => {
    const fixture = new ProjectFixture();
    fixture.up = false;
    const start = () => void (fixture.up = true);
    fixture.meanwhile.push(start, () => fixture.work('engineer', { files: { 'd.md': done } }));
    const argv = ['send', 'engineer', '--type', 'errand', '-m', 'Go', '--wait'];
    const { document } = (await fixture.json(...argv)) as Told<object>;
    expect(document).toMatchObject({
      state: 'accepted',
      id: fixture.id('Go'),
      thread_state: 'closed',
      messages: [{ subject: 'Done', path: expect.stringMatching(/^agents\/user\/inbox\//) }],
    });
    fixture.up = false;
    fixture.text = fixture.text.replace('task: {', 'tusk: { from: [user], to: [qa] }\n  task: {');
    fixture.meanwhile.push(start);
    const refused = await fixture.run('send', 'qa', '-m', 'x', '--type', 'tusk', '--wait');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/\nerror E_MESSAGE: there is no type `tusk`/);
  });

  it('ends with 130 on Ctrl-C', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.look(),
      () => fixture.terminal.signal(),
    );
    const { code, err } = await fixture.run('send', 'architect', '-m', 'Go', '--wait');
    expect(code).toBe(130);
    expect(err).toContain('error E_CANCELLED: stopped waiting');
  });
});
