import { cpSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';
import { TestProject } from '../support/project.ts';

/*
 * Projects that other versions have written: earlier ones are read and continued, later ones are not touched.
 */

const releases = fileURLToPath(new URL('../fixtures/releases', import.meta.url));

let project: TestProject;
afterEach(() => project.remove());

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const types = async () =>
  (JSON.parse(await succeeds('trail', '--json')) as { type: string }[]).map(({ type }) => type);

describe('a project of an earlier version', () => {
  it.each(readdirSync(releases))('%s is read, and its thread continues', async (version) => {
    project = new TestProject({});
    cpSync(join(releases, version), project.root, { recursive: true });
    renameSync(join(project.root, 'state'), join(project.root, '.mailroom'));
    expect(await types()).toEqual(['review-request', 'question']);
    const [run] = JSON.parse(await succeeds('runs', '--json')) as [{ run: string; status: string }];
    expect(run.status).toBe('SUCCEEDED');
    expect(JSON.parse(await succeeds('show', run.run, '--json'))).toMatchObject({
      steps: { list: { status: 'SUCCEEDED', artifacts: [{ name: 'list' }] } },
    });
    await succeeds('reply', '--message', 'The error path.');
    await succeeds('up', '--until-idle');
    expect(await types()).toEqual(['review-request', 'question', 'answer', 'review']);
  });

  it('is named by `doctor`, with its version', async () => {
    project = new TestProject({});
    await succeeds('init', '--template', 'solo');
    expect((await project.run(['doctor'])).stdout).not.toContain('last used by');
    const journal = new Journal<MailEvent>(new RealDisk(project.root));
    journal.read();
    journal.append([{ type: 'started', version: '0.0.9', protocol: '', v: 1, at: Date.now() }]);
    journal.sync();
    expect((await project.run(['doctor'])).stdout).toContain(', last used by Mailroom 0.0.9; this is ');
  });
});

/** Every file of a project with its time and size. */
function tree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return `${name} ${String(mtimeMs)} ${String(size)}`;
  });
}

describe('a project of a later version', () => {
  const commands = [
    ['status'],
    ['send', 'reviewer', '-m', 'Look.'],
    ['up', '--until-idle'],
    ['check'],
    ['init'],
    ['init', '--template', 'solo'],
    ['run', 'look'],
    ['prune', '--yes'],
  ];

  it.each(['2', 'soon'])('with the format %s is not touched', async (format) => {
    project = new TestProject({ '.mailroom/format': `${format}\n`, 'protocols/team.yaml': 'name: team\n' });
    const before = tree(project.root);
    for (const command of commands) {
      const { code, stderr } = await project.run(command);
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringContaining(
          'E_NEWER: a newer version of Mailroom wrote the state of this project; nothing was changed',
        ),
      ]);
    }
    expect(tree(project.root)).toEqual(before);
    const { stdout } = await project.run(['doctor']);
    expect(stdout).toContain(`.mailroom/format is \`${format}\``);
    expect(stdout).toContain('npm install --global @mailroom-dev/mailroom@latest');
  });

  it('of the present format is used', async () => {
    project = new TestProject({ '.mailroom/format': '1\n' });
    await succeeds('init', '--template', 'solo');
    expect(await succeeds('check')).toMatch(/^ok: /);
  });
});
