import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project of so many roles, to each of which `user` may send a task. */
export function protocolOf(roles: number): string {
  const names = Array.from({ length: roles }, (_none, index) => `role${String(index)}`);
  return [
    'name: bench',
    'version: "1"',
    'roles:',
    ...names.map((name) => `  ${name}: { provider: bench, concurrency: 1 }`),
    // What is measured comes faster than people ask.
    'limits: { tasks_per_hour: 1000000 }',
    'messages:',
    `  task: { from: user, to: [${names.join(', ')}] }`,
    '',
  ].join('\n');
}

/**
 * Folders that are done with; removed when everything was measured. A file system without a journal is slow at making files
 * where it has just removed others, and that is not what is measured here.
 */
const doneWith: string[] = [];

export function removeAll(): void {
  for (const folder of doneWith.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** An empty folder in the temporary folder (`TMPDIR`). */
export function benchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-bench-')));
  doneWith.push(folder);
  return folder;
}

/** A project folder in the temporary folder. */
export class BenchProject {
  readonly root = benchFolder();

  constructor(roles: number, command: readonly string[]) {
    this.write(
      'mailroom.yaml',
      `providers: { bench: { command: ${JSON.stringify(command)} } }\ntrail: off\nconcurrency: 8\n`,
    );
    this.write('protocols/bench.yaml', protocolOf(roles));
    for (let role = 0; role < roles; role += 1)
      for (const box of ['inbox', 'outbox'])
        mkdirSync(join(this.root, `agents/role${String(role)}/${box}`), { recursive: true });
    mkdirSync(join(this.root, 'staged'), { recursive: true });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Drops a task by one rename; returns when, in milliseconds since 1970. */
  drop(role: number, name: string, text = 'Do it\n'): number {
    const staged = join(this.root, 'staged', name);
    writeFileSync(staged, text);
    renameSync(staged, join(this.root, `agents/role${String(role)}/inbox/${name}`));
    return performance.timeOrigin + performance.now();
  }

  /** Removes it now, not in the end. */
  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
