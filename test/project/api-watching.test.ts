import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readProcess } from '../../src/process/proc.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { ProjectWatch, type Topic } from '../../src/project/api-watching.ts';

let root = '';
let watch: ProjectWatch | null = null;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-watch-')));
});

afterEach(() => {
  watch?.close();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it.each<[Topic, string, string]>([
  ['workflows', 'a workflow', 'workflows/parts/ship.yaml'],
  ['artifacts', 'a module', 'modules/rules.md'],
  ['artifacts', 'a role', 'agents/writer/role.md'],
  ['artifacts', 'a skill', '.claude/skills/search/SKILL.md'],
])('says that %s have changed by %s', async (topic, _what, path) => {
  write(path, 'one');
  mkdirSync(join(root, 'agents/writer/inbox'), { recursive: true });
  const heard: Topic[] = [];
  watch = new ProjectWatch(
    new RealDisk(root),
    () => 0,
    (each) => void heard.push(each),
  );
  const began = new Set(heard);
  expect(began).toContain(topic);
  heard.length = 0;
  // A watch that has just begun may miss a change, so it is made until it is seen.
  let size = 1;
  const isHeard = () => {
    size += 1;
    write(path, 'x'.repeat(size));
    return heard.includes(topic);
  };
  await expect.poll(isHeard, { interval: 200 }).toBe(true);
  expect(heard).not.toContain(topic === 'workflows' ? 'artifacts' : 'workflows');
});

it('says of a process that was killed that its run and its project have changed', async () => {
  const host = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log()']);
  await once(host.stdout, 'data');
  const { startTime } = readProcess(host.pid!)!;
  const note = { pid: host.pid, host: hostname(), startTime, since: 0, triggers: false };
  const holder = JSON.stringify({ ...note, problems: [], waits: null, slots: null });
  write('.mailroom/lock.json', holder);
  write('.mailroom/runs/one/lock.json', holder);
  write('.mailroom/runs/left/lock.json', holder.replace(startTime, 'otherboot-1'));
  const heard: Topic[] = [];
  watch = new ProjectWatch(
    new RealDisk(root),
    () => 0,
    (each) => void heard.push(each),
  );
  expect(heard).toContain('run:left');
  heard.length = 0;
  host.kill('SIGKILL');
  await expect.poll(() => heard.toSorted()).toEqual(['project', 'run:one']);
});
