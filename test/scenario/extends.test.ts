import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { ImpostorProject } from '../support/impostor.ts';

const { bubblewrap } = await probeContainment();

let project: ImpostorProject;
afterEach(() => project.remove());

const files = {
  'mailroom.yaml': 'trail: off\n',
  'shared/base.yaml':
    'name: base\nmessages: { task: { from: user, to: maker } }\nstart: { type: task, to: maker }\n',
  'node_modules/rules/team.yaml': 'messages: { done: { from: maker, to: user, closes: true } }\n',
  'protocols/team.yaml':
    'extends: [../shared/base.yaml, rules/team.yaml]\nroles: { maker: { provider: claude, capabilities: [READ, EDIT], retries: 0 } }\n',
};

/** Tries to change each of its rules, and what lies beside them. */
const greedy = `
  const places = ['shared/base.yaml', 'node_modules/rules/team.yaml', 'protocols/team.yaml', 'shared/other.yaml'];
  send('done', 'user', JSON.stringify(places.map((place) => tries(project + '/' + place))));`;

describe('a protocol that extends files', () => {
  it('is the one that a role works by, and which it cannot change', async () => {
    project = new ImpostorProject({ maker: greedy }, files);
    expect(await project.works('maker')).toMatchObject({ code: 0 });
    const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
      type: string;
      body: string;
    }[];
    const refused = bubblewrap.works ? 'EROFS' : 'done';
    const said = rows.find(({ type }) => type === 'done')?.body ?? '[]';
    expect(JSON.parse(said)).toEqual([refused, refused, refused, 'done']);
  });

  it('is written by no step without a sandbox either, nor is what a link among the rules leads to', async () => {
    const workflow = (name: string, stdout: string) =>
      `name: ${name}\nversion: "1"\ntimeout: 1m\nsteps: { one: { command: [echo, mine], stdout: ${stdout} } }\n`;
    project = new ImpostorProject(
      {},
      {
        ...files,
        'mailroom.yaml': 'trail: off\nsandbox: off\n',
        'conf/ci.yaml': workflow('ci', 'out.txt'),
        'a.yaml': workflow('a', 'shared/base.yaml'),
        'b.yaml': workflow('b', 'conf/ci.yaml'),
      },
    );
    mkdirSync(join(project.root, 'workflows'));
    symlinkSync('../conf/ci.yaml', join(project.root, 'workflows/ci.yaml'));
    for (const [file, place] of [
      ['a.yaml', 'shared/base.yaml'],
      ['b.yaml', 'conf/ci.yaml'],
    ] as const) {
      const { code, stdout } = await project.run(['run', file]);
      expect(code).toBe(3);
      expect(stdout).toContain(
        `refused the path "${place}": it leads to ${join(project.root, place)}, which no step may write or hand over`,
      );
      expect(project.read(place)).not.toBe('mine\n');
    }
  });

  it('is checked with the files that it extends, and its problems name them', async () => {
    project = new ImpostorProject(
      {},
      { ...files, 'shared/base.yaml': 'messages: { task: { frm: user, to: maker } }\n' },
    );
    const checked = await project.run(['check']);
    expect(checked.code).toBe(2);
    expect(checked.stderr).toContain('shared/base.yaml:1:21: error E_UNKNOWN_KEY: `frm`');
  });
});
