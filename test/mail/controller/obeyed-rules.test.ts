import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { confirm, readConfirmed } from '../../../src/project/definition/confirmed.ts';
import { rulesOf } from '../../../src/project/definition/definition.ts';
import {
  ConfirmedRoleTexts,
  readRoleText,
  readRoleTexts,
} from '../../../src/project/definition/role-texts.ts';
import { unusedNotices, unusedRules } from '../../../src/project/definition/rules.ts';
import { ObeyedRules } from '../../../src/mail/controller/obeyed-rules.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import { TestProject } from '../../support/project.ts';

let project: TestProject;
let disk: RealDisk;
beforeEach(() => {
  project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'protocols/team.yaml': 'name: team\nextends: ../base.yaml\n',
    'base.yaml': 'version: "1"\n',
    'agents/a/role.md': 'Old a\n',
    'agents/b/inbox/x': '',
  });
  disk = new RealDisk(project.root);
});
afterEach(() => project.remove());

const roles = new Map(['a', 'b'].map((name) => [name, {}])) as unknown as Protocol['roles'];

/** As `up` opens them, at a time that the test moves on. */
async function opened(texts: ConfirmedRoleTexts | null = null) {
  const time = { now: 0, woken: 0 };
  const { fingerprint } = rulesOf(disk);
  const hints = { clock: () => time.now, wake: () => (time.woken += 1) };
  const definition = { protocol: { roles } as Protocol, fingerprint };
  const rules = await ObeyedRules.open(disk, definition, { texts, ...hints });
  const notices = async () => {
    await rules.settled();
    return rules.notices();
  };
  return { rules, time, notices };
}

const reload = (role: string) => confirm(disk, [readRoleText(disk, role)]);

it.each<[string, string, () => void, string]>([
  ['was edited', 'a', () => project.write('agents/a/role.md', 'New\n'), 'New\n'],
  ['was replaced by one rename', 'a', () => project.drop('agents/a/role.md', 'New\n'), 'New\n'],
  ['was emptied', 'a', () => project.write('agents/a/role.md', ''), ''],
  ['was removed', 'a', () => rmSync(join(project.root, 'agents/a/role.md')), ''],
  ['was not there at the start', 'b', () => project.write('agents/b/role.md', 'New\n'), 'New\n'],
  ['was not there at the start, and is empty', 'b', () => project.write('agents/b/role.md', ''), ''],
])('uses no role.md that %s until it is confirmed', async (_, role, change, text) => {
  const { rules, notices } = await opened();
  const before = role === 'a' ? 'Old a\n' : '';
  expect(await notices()).toEqual([]);
  change();
  expect(rules.texts.of(role)).toBe(before);
  const path = `agents/${role}/role.md`;
  const said = `descriptions of roles have changed since they were confirmed, and are not used yet: ${path}; look at the change, then run \`mailroom reload ${path}\``;
  expect(await notices()).toEqual([said]);
  expect(await unusedNotices(disk, unusedRules(disk, ['a', 'b']))).toEqual([said]);
  expect(reload(role)).toMatchObject([{ path, files: [path] }]);
  expect(rules.texts.of(role)).toBe(text);
  expect(await notices()).toEqual([]);
  // What comes next is not confirmed with it.
  project.write(path, 'Later\n');
  expect(rules.texts.of(role)).toBe(text);
});

it('keeps what it uses while what was confirmed lies there no more', async () => {
  const { rules } = await opened();
  project.write('agents/a/role.md', 'New\n');
  reload('a');
  project.write('agents/a/role.md', 'Later\n');
  expect(rules.texts.of('a')).toBe('Old a\n');
});

it('keeps what it uses while the file cannot be read', async () => {
  const { rules } = await opened();
  rmSync(join(project.root, 'agents/a/role.md'));
  mkdirSync(join(project.root, 'agents/a/role.md'));
  expect(rules.texts.of('a')).toBe('Old a\n');
});

it('holds a role whose role.md could not be read at the start, until a readable one is confirmed', async () => {
  project.write('agents/b/role.md/x', '');
  const { rules, notices } = await opened();
  expect(() => rules.texts.of('b')).toThrow('cannot read agents/b/role.md: it is a folder, not a file');
  rmSync(join(project.root, 'agents/b/role.md'), { recursive: true });
  project.write('agents/b/role.md', 'New\n');
  expect(() => rules.texts.of('b')).toThrow(
    'agents/b/role.md could not be read at the start, and is not confirmed since: look at it, then run `mailroom reload agents/b/role.md`',
  );
  expect(await notices()).toHaveLength(1);
  reload('b');
  expect(rules.texts.of('b')).toBe('New\n');
});

it('uses in a run what lay there when a person started it, and confirms nothing', async () => {
  const texts = new ConfirmedRoleTexts(disk, roles.keys());
  project.write('agents/a/role.md', 'New\n');
  const { rules, notices } = await opened(texts);
  expect(rules.texts.of('a')).toBe('Old a\n');
  expect(readConfirmed(disk)).toEqual(new Map());
  expect(await notices()).toEqual([expect.stringContaining('not used yet: agents/a/role.md; ')]);
});

it.each([
  ['mailroom.yaml', 'sandbox: off\n'],
  ['agents.yaml', 'agents: {}\n'],
  ['protocols/more.yaml', 'name: more\n'],
  ['protocols/team.yaml', 'name: other\nextends: ../base.yaml\n'],
  ['base.yaml', 'version: "2"\n'],
])('names %s when it changes, and again at the next start', async (file, text) => {
  const first = await opened();
  expect(first.rules.note).toBeNull();
  project.write(file, text);
  const [notice] = await first.notices();
  expect(notice).toBe(
    `the protocol or settings have changed since \`up\` started, and are not used yet: ${file}; look at the change, check it with \`mailroom check\`, and restart \`mailroom up\` to apply it`,
  );
  expect(first.time.woken).toBe(1);
  expect((await opened()).rules.note).toBe(
    `new or changed since the last start, and used from now on: ${file}`,
  );
  expect((await opened()).rules.note).toBeNull();
});

it('looks at most once a second', async () => {
  const { rules, time } = await opened();
  expect(rules.notices()).toEqual([]);
  project.write('agents/a/role.md', 'New\n');
  time.now = 999;
  rules.notices();
  expect(time.woken).toBe(0);
  time.now = 1_000;
  rules.notices();
  await expect.poll(() => time.woken).toBe(1);
  expect(rules.notices()).toHaveLength(1);
});

it('reads the descriptions that it can read', () => {
  project.write('agents/c/role.md', 'x');
  chmodSync(join(project.root, 'agents/c'), 0o755);
  project.write('agents/d/role.md/x', '');
  expect(readRoleTexts(disk, ['c', 'd', 'e']).map(({ role, text }) => [role, text])).toEqual([
    ['c', 'x'],
    ['e', null],
  ]);
});
