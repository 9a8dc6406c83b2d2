import { writeSealed } from '../../../src/host/seal.ts';
import { describe, expect, it } from 'vitest';
import { controlFolder } from '../../../src/host/control.ts';
import { runControlFolder } from '../../../src/workflow/files/run-folders.ts';
import { step, workflow } from '../../workflow/files/samples.ts';
import { template } from '../../workflow/machine/graph.ts';
import { Crash, HostedMail, run } from './hosted-mail.ts';
import { begin, hostOf } from '../../workflow/host/hosted-run.ts';

const roles = workflow(
  step('build', [], { kind: 'role', role: 'one', others: [], instructions: template('Build it.') }),
);
const refused = '.mailroom/refused';

function text(project: HostedMail, path: string): string | undefined {
  return project.disk.read(path, 100_000)?.toString('utf8');
}

function told(project: HostedMail): string[] {
  return [...project.host.state.unread.values()].map(({ message }) => `${message.subject}\n${message.body}`);
}

const letter = {
  kind: 'step',
  id: '01900000-0000-7000-8000-0000000000aa',
  run,
  role: 'one',
  subject: 'Step',
  body: 'Do it.',
  fields: {},
  timeout: null,
};

describe('a file that another process left for the controller', () => {
  it.each([
    ['no JSON', 'nonsense', 'it is not JSON'],
    [
      'an id that is a path',
      JSON.stringify({ ...letter, id: '../../../../x' }),
      '`id` must be the id of a message',
    ],
    [
      'a run that is a path',
      JSON.stringify({ ...letter, run: '..' }),
      '`run` must be an id of letters, digits, `_` and `-`',
    ],
    ['no fields', JSON.stringify({ ...letter, fields: null }), '`fields` must be a JSON object'],
    [
      'fields without end',
      `{"fields":${'['.repeat(9_999)}${']'.repeat(9_999)}}`,
      'it is nested more than 64 levels deep',
    ],
    [
      'no kind',
      JSON.stringify({ ...letter, kind: 'toString' }),
      '`kind` must be a JSON object whose `kind` is step, notice or withdrawal',
    ],
  ])('is put aside with the reason and reported once: %s', (_what, given, problem) => {
    const project = new HostedMail();
    writeSealed(project.disk, '.mailroom/incoming/x.json', given);
    const left = text(project, '.mailroom/incoming/x.json');
    project.settle();
    const id = project.send('one');
    project.settle();
    expect(project.run.answers()).toMatchObject([{ id, answer: { outcome: { is: 'done' } } }]);
    expect(text(project, `${refused}/x.json`)).toBe(left);
    expect(text(project, `${refused}/x.json.reason.txt`)).toBe(`${problem}\n`);
    expect(told(project)).toEqual([
      `Refused: .mailroom/incoming/x.json\n.mailroom/incoming/x.json was not followed: ${problem}.\n` +
        'It lies in .mailroom/refused/x.json, unchanged, with the reason beside it. Nothing else was changed.',
    ]);
  });

  it('is put aside as it is where it is not a file', () => {
    const project = new HostedMail();
    project.disk.plant(`${controlFolder}/x.json`, '/elsewhere', 'link');
    project.settle();
    expect(project.disk.look(`${refused}/x.json`)?.kind).toBe('link');
    expect(text(project, `${refused}/x.json.reason.txt`)).toBe('it is a link, not a file\n');
    expect(told(project)).toHaveLength(1);
  });

  it('is reported once, wherever the controller was killed, and none replaces another', () => {
    let crashes = 0;
    for (let until = 1; ; until += 1) {
      const project = new HostedMail();
      project.disk.write(`${refused}/x.json`, 'earlier');
      project.disk.write(`${controlFolder}/x.json`, '{}');
      let operations = 0;
      project.disk.before = () => {
        if ((operations += 1) === until) throw new Crash('killed');
      };
      try {
        project.settle();
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(Crash);
        crashes += 1;
      }
      project.disk.before = null;
      project.disk.crash();
      project.open();
      project.settle();
      const lies = [`${refused}/x.json`, `${refused}/x-2.json`].map((path) => text(project, path));
      expect({ until, told: told(project).length, lies }).toEqual({
        until,
        told: 1,
        lies: ['earlier', '{}'],
      });
    }
    expect(crashes).toBeGreaterThan(4);
  });
});

describe('a file that another process left for a run', () => {
  const inbox = `.mailroom/runs/${run}/inbox`;
  const aside = `.mailroom/runs/${run}/refused`;

  it.each([
    ['no values', { outcome: { is: 'done' } }, '`id` must be the id of a message'],
    ['another id', { id: letter.id }, 'it answers another step'],
    ['values that are none', { values: null }, '`values` must be a JSON object'],
    ['no time', { durationMs: 'long' }, '`durationMs` must be a number'],
  ])('is put aside where it is no answer, and the answer is asked for again: %s', (what, change, problem) => {
    const project = begin(roles);
    const host = hostOf(project, roles, false);
    host.look();
    host.look();
    const [id = ''] = project.run.posted();
    project.settle();
    const path = `${inbox}/${id}.json`;
    const right = JSON.parse((text(project, path) ?? '').replace(/\n[^\n]*\n$/, '')) as object;
    writeSealed(
      project.disk,
      path,
      JSON.stringify(what === 'no values' ? { run, ...change } : { ...right, ...change }),
    );
    host.look();
    expect(host.problem).toBe(`${id}.json in the inbox of the run was put aside: ${problem}`);
    expect(project.disk.list(aside)?.toSorted()).toEqual([`${id}.json`, `${id}.json.reason.txt`]);
    project.settle();
    for (let looks = 0; looks < 3; looks += 1) host.look();
    expect(host.problem).toBeNull();
    expect(host.state.status).toBe('SUCCEEDED');
    expect(project.turns).toBe(1);
  });

  it('is put aside where it does not say who waits, or is no command', () => {
    const project = begin(roles);
    const host = hostOf(project, roles, false);
    host.look();
    host.look();
    writeSealed(project.disk, `${inbox}/waits.json`, '{"a": 1}');
    host.look();
    expect(host.problem).toBe(`${inbox}/waits.json was put aside: it must be a list of ids`);
    const control = runControlFolder(run);
    writeSealed(
      project.disk,
      `${control}/c.json`,
      JSON.stringify({ id: 'c', at: 1e300, by: 'ada', verb: 'cancel', path: '' }),
    );
    host.look();
    expect(host.problem).toBe(
      `${control}/c.json was put aside: \`at\` must be a time in milliseconds since 1970`,
    );
    expect(project.disk.list(aside)?.toSorted()).toEqual(
      ['c.json', 'waits.json'].flatMap((name) => [name, `${name}.reason.txt`]),
    );
    host.look();
    expect(host.problem).toBeNull();
  });
});

describe('a command that no program of the project wrote', () => {
  const id = '019aa000-3333-7000-8000-000000000003';
  const pause = { id, at: 0, by: 'ada', verb: 'pause', target: { kind: 'role', role: 'one' }, now: false };
  const path = `${controlFolder}/${id}.json`;
  const paused = ({ host }: HostedMail) => [...host.state.paused.roles.keys()];

  it.each(['before the start', 'while it runs'])('is not followed, and named once: %s', (when) => {
    const project = new HostedMail();
    const place = () => project.disk.plant(path, JSON.stringify(pause));
    if (when === 'before the start') {
      place();
      project.open();
    } else {
      project.settle();
      place();
    }
    project.settle();
    project.settle();
    expect(paused(project)).toEqual([]);
    expect(told(project)).toEqual([
      `Refused: ${path}\n${path} was not followed: it was not written by Mailroom on this machine: it has no seal.\n` +
        `It lies in ${refused}/${id}.json, unchanged, with the reason beside it. Nothing else was changed.`,
    ]);
  });

  it.each([0, 1_500])('is not followed again where it was followed once, and %i others since', (others) => {
    const project = new HostedMail();
    const commandOf = (each: string, verb: string) => ({ ...pause, id: each, verb });
    writeSealed(project.disk, path, JSON.stringify(pause));
    const left = text(project, path) ?? '';
    project.settle();
    expect(paused(project)).toEqual(['one']);
    for (let count = 0; count <= others; count += 1) {
      const next = `019aa000-4444-7000-8000-${String(count).padStart(12, '0')}`;
      writeSealed(project.disk, `${controlFolder}/${next}.json`, JSON.stringify(commandOf(next, 'unpause')));
    }
    project.settle();
    expect(paused(project)).toEqual([]);
    project.disk.plant(path, left);
    project.settle();
    expect(paused(project)).toEqual([]);
    expect(project.disk.list(controlFolder)).toEqual([]);
  });
});
