import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { TrailWriter } from '../src/mail/trail/writer.ts';
import { GitRepository } from '../src/git/git-repository.ts';
import { perSecond, type Line } from './report.ts';
import { benchFolder } from './world.ts';
import type { TrailChange } from '../src/git/trail.ts';

const entries = 5_000;
const roles = 10;

/** The files of the n-th commit. */
type Changes = (n: number) => TrailChange[];

/** As mail moves: what comes into the inbox of one of the roles goes to its handled mail fifty commits later. */
const asMail: Changes = (n) => {
  const inbox = (index: number) => `agents/role${String(index % roles)}/inbox/${String(index)}.md`;
  const change = { path: inbox(n), text: `Message ${String(n)}\n` };
  const handled = n - 50;
  if (handled < 1) return [change];
  const filed = inbox(handled).replace('inbox', 'processed/2026-11');
  return [
    change,
    { path: inbox(handled), text: null },
    { path: filed, text: `Message ${String(handled)}\n` },
  ];
};

/** Everything comes to lie in one folder: git writes the tree of a whole folder anew for each commit. */
const oneFolder: Changes = (n) => [
  { path: `agents/a/inbox/${String(n)}.md`, text: `Message ${String(n)}\n` },
];

/** Processor seconds of the children that have ended (Linux). */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Commits a second, and processor milliseconds for each commit, those of git included. */
async function commit(changes: Changes): Promise<{ rate: number; busy: number }> {
  const project = benchFolder();
  spawnSync('git', ['init', '-q'], { cwd: project });
  const writer = new TrailWriter({ repository: new GitRepository({ project, branch: 'mailroom-trail' }) });
  await writer.position();
  const [start, ours, theirs] = [performance.now(), process.cpuUsage(), childrenSeconds()];
  for (let seq = 1; seq <= entries; seq += 1)
    writer.record({
      seq,
      at: Date.now(),
      subject: `message ${String(seq)}`,
      trailers: [['Seq', String(seq)]],
      changes: changes(seq),
    });
  await writer.settled();
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(ours);
  const busy = (user + system) / 1_000 + (childrenSeconds() - theirs) * 1_000;
  return { rate: perSecond(entries, elapsed), busy: busy / entries };
}

/** Milliseconds of one plain `git commit`. */
function plainCommit(): number {
  const project = benchFolder();
  spawnSync('git', ['init', '-q'], { cwd: project });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const start = performance.now();
  for (let index = 0; index < 20; index += 1)
    spawnSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd: project });
  return (performance.now() - start) / 20;
}

export async function trail(): Promise<Line[]> {
  const plain = plainCommit();
  const line = (what: string, { rate, busy }: { rate: number; busy: number }, budget: string): Line => ({
    what: `trail, ${String(entries)} commits behind delivery, ${what}`,
    seen: `${String(rate)} commits/s, ${busy.toFixed(2)} ms of processor time each`,
    ratio: `${(1_000 / rate / plain).toFixed(3)} × a plain \`git commit\` (${plain.toFixed(1)} ms)`,
    budget,
    met: budget === '' ? null : rate >= 500,
  });
  return [
    line(`mail of ${String(roles)} roles`, await commit(asMail), '≥ 500 commits/s'),
    line('all in one folder', await commit(oneFolder), ''),
  ];
}
