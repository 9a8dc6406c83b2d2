import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { describeChange } from '../../../src/project/definition/changed-by.ts';
import { TestProject } from '../../support/project.ts';

let project: TestProject;
beforeEach(() => {
  project = new TestProject({
    'agents/b/role.md': 'one\n',
    'mailroom.yaml': 'trail: off\n',
    '.gitignore': 'kept/\n',
  });
});
afterEach(() => project.remove());

/** By whom a file was changed, and the commands that show it. */
async function changed(...files: string[]) {
  const { what, commands } = await describeChange(new RealDisk(project.root), files, String(Math.random()));
  return [what.replaceAll(/commit [\da-f]{7,} /g, 'commit ID '), commands];
}

function commit(text: string, author = 'Ada <ada@example.org>'): void {
  project.git('add', '-A');
  project.git('commit', '-qm', text, '--author', author);
}

const file = 'agents/b/role.md';
const log = `\`git log -p -- ${file}\``;
const diff = `\`git diff HEAD -- ${file}\``;
const run = '01a21fd1-b4db-7073-bbfa-c2f4a981f753';

it.each<[string, () => void, string, string | null]>([
  ['committed by a person', () => commit('Say two'), `${file} (commit ID by Ada)`, log],
  [
    'landed from a turn',
    () => commit('ready\n\nMailroom-Turn: t12', 'a <a@mailroom>'),
    `${file} (commit ID by a, landed from turn t12)`,
    log,
  ],
  [
    'landed from a run',
    () => commit(`ready\n\nMailroom-Run: ${run}\nMailroom-Step: one`, 'a <a@mailroom>'),
    `${file} (commit ID by a, landed from run …81f753)`,
    log,
  ],
  [
    'committed with trailers that Mailroom does not write',
    () => commit('ready\n\nMailroom-Turn: t1, reviewed by Ada\nMailroom-Run: …'),
    `${file} (commit ID by Ada)`,
    log,
  ],
  [
    'by an author whose name has lines',
    () => commit('x', 'x\u001b[2K\u202ey <a@x>'),
    `${file} (commit ID by x\\u001b[2K\\u202ey)`,
    log,
  ],
  ['edited', () => undefined, `${file} (not committed)`, diff],
  [
    'edited after a commit',
    () => {
      commit('Say two');
      project.write(file, 'three\n');
    },
    `${file} (not committed)`,
    diff,
  ],
  ['removed', () => rmSync(join(project.root, file)), `${file} (not committed)`, diff],
  [
    'removed by a commit',
    () => {
      rmSync(join(project.root, file));
      commit('Remove it');
    },
    `${file} (commit ID by Ada)`,
    log,
  ],
  [
    'with other line ends in the working tree',
    () => {
      commit('Say two');
      project.write(file, 'two\r\n');
    },
    `${file} (commit ID by Ada)`,
    log,
  ],
  [
    'merged by a landing, with commits of an agent that names somebody else',
    () => {
      project.git('checkout', '-qb', 'work');
      commit('Say two', 'Boss <boss@example.org>');
      project.git('checkout', '-q', 'main');
      project.git('merge', '-q', '--no-ff', '-m', 'ready\n\nMailroom-Turn: t3', 'work');
    },
    `${file} (commit ID by Ada, landed from turn t3)`,
    log,
  ],
])('says of a file that was %s who changed it', async (_, change, what, command) => {
  project.makeRepository();
  project.write(file, 'two\n');
  change();
  expect(await changed(file)).toEqual([what, command]);
});

it('says of a new file, of an ignored one and without commits that it is not committed', async () => {
  project.makeRepository();
  project.write('kept/x.yaml', '');
  expect(await changed('kept/x.yaml', 'gone.yaml')).toEqual([
    'kept/x.yaml (not committed), gone.yaml (not committed)',
    null,
  ]);
  rmSync(join(project.root, '.git'), { recursive: true });
  expect(await changed('mailroom.yaml')).toEqual(['mailroom.yaml', null]);
  project.git('init', '-q');
  expect(await changed('mailroom.yaml')).toEqual(['mailroom.yaml (not committed)', null]);
});

it('follows a link, quotes names for the shell, and counts what is too much', async () => {
  project.write('.claude/b.md', 'one\n');
  rmSync(join(project.root, file));
  symlinkSync('../../.claude/b.md', join(project.root, file));
  project.write("it's.yaml", '');
  project.makeRepository();
  project.write('.claude/b.md', 'two\n');
  expect(await changed(file)).toEqual([`${file} (not committed)`, '`git diff HEAD -- .claude/b.md`']);
  expect(await changed("it's.yaml")).toEqual([
    "it's.yaml (commit ID by Ada)",
    String.raw`${'`'}git log -p -- 'it'\''s.yaml'${'`'}`,
  ]);
  const many = Array.from({ length: 12 }, (_, index) => `${String(index)}.yaml`);
  expect((await changed(...many))[0]).toMatch(/, 9\.yaml \(not committed\), and 2 more$/);
});

it('asks git once for each change', async () => {
  project.makeRepository();
  const disk = new RealDisk(project.root);
  const first = describeChange(disk, [file], 'one');
  expect(describeChange(disk, [file], 'one')).toBe(first);
  expect(describeChange(disk, [file], 'two')).not.toBe(first);
  await first;
});
