import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TrailWriter } from '../src/engine/trail/writer.ts';
import { GitRepository } from '../src/process/git-repository.ts';
import { perSecond, type Line } from './report.ts';

const entries = 5_000;

export async function trail(): Promise<Line[]> {
  const project = mkdtempSync(join(tmpdir(), 'mailroom-bench-'));
  spawnSync('git', ['init', '-q'], { cwd: project });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const plain = performance.now();
  for (let index = 0; index < 20; index += 1)
    spawnSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd: project });
  const each = (performance.now() - plain) / 20;
  const writer = new TrailWriter({ repository: new GitRepository({ project, branch: 'mailroom-trail' }) });
  await writer.position();
  const start = performance.now();
  for (let seq = 1; seq <= entries; seq += 1) {
    const path = `agents/a/inbox/${String(seq)}.md`;
    const changes = [{ path, text: `Message ${String(seq)}\n` }];
    writer.record({
      seq,
      at: Date.now(),
      subject: `message ${String(seq)}`,
      trailers: [['Seq', String(seq)]],
      changes,
    });
  }
  await writer.settled();
  const elapsed = performance.now() - start;
  rmSync(project, { recursive: true, force: true });
  const rate = perSecond(entries, elapsed);
  return [
    {
      what: `trail, ${String(entries)} commits behind delivery`,
      seen: `${String(rate)} commits/s`,
      ratio: `${(elapsed / entries / each).toFixed(3)} × a plain \`git commit\` (${each.toFixed(1)} ms)`,
      budget: '≥ 500 commits/s',
      met: rate >= 500,
    },
  ];
}
