import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { finished, type Ran } from '../support/project.ts';
import { child, kinds } from './kinds.ts';
import type { Kill, Order } from './order.ts';

/** The built program, and what starts it under the killer. */
export interface Program {
  readonly app: string;
  readonly packageRoot: string;
  readonly controller: string;
}

interface Document {
  readonly status: string;
  readonly steps: Readonly<Record<string, { readonly status: string }>>;
}

export interface Result {
  readonly problems: string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly killed: boolean;
}

/** Runs a kind of work, killed where it says; goes on with it, and says what does not hold. */
export async function play(program: Program, kind: string, kill: Kill | null): Promise<Result> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-kill-runs-')));
  const root = join(folder, 'project');
  try {
    for (const name of ['project', 'tmp']) mkdirSync(join(folder, name));
    const head = 'name: killed\nversion: "1"\ntimeout: 1m\nsteps:';
    writeFileSync(join(root, 'mailroom.yaml'), 'trail: off\n');
    writeFileSync(join(root, 'work.yaml'), `${head}${kinds[kind]?.steps ?? ''}`);
    writeFileSync(join(root, 'child.yaml'), child);
    const start = (argv: readonly string[], wanted: Kill | null): Promise<Ran> => {
      const order: Order = {
        ...program,
        root,
        temporary: join(folder, 'tmp'),
        log: join(folder, 'told'),
        kill: wanted,
      };
      const env = {
        ...process.env,
        NO_COLOR: '1',
        TMPDIR: order.temporary,
        MAILROOM_KILL_RUNS: JSON.stringify(order),
      };
      return finished(
        spawn(process.execPath, [program.controller, ...argv], {
          cwd: root,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
    };
    const first = await start(['run', 'work.yaml', '--json'], kill);
    const problems = first.signal === 'SIGKILL' ? [] : whole(first, 'the run');
    if (first.signal === 'SIGKILL') problems.push(...(await goOn(start, root)));
    const log = read(join(root, 'log')).trim().split('\n');
    for (const word of kinds[kind]?.done ?? [])
      if (!log.includes(word)) problems.push(`${word} was not done`);
    problems.push(...halves(root), ...survivors(folder));
    const told = read(join(folder, 'told'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const { unknown } of told)
      if (unknown !== undefined) problems.push(`the table has no name for ${JSON.stringify(unknown)}`);
    const counts = (told.find((line) => line['counts'] !== undefined)?.['counts'] ?? {}) as Record<
      string,
      number
    >;
    return { problems, counts, killed: first.signal === 'SIGKILL' };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** After a kill: what had finished is not done again, the rest is done, and going on once more changes nothing. */
async function goOn(
  start: (argv: readonly string[], kill: Kill | null) => Promise<Ran>,
  root: string,
): Promise<string[]> {
  const known = JSON.parse((await start(['runs', '--json'], null)).stdout) as { run: string }[];
  const id = known[0]?.run;
  if (id === undefined) return whole(await start(['run', 'work.yaml', '--json'], null), 'a new run');
  const shown = JSON.parse((await start(['show', id, '--json'], null)).stdout) as Document;
  const before = read(join(root, 'log'));
  const problems = whole(await start(['resume', id, '--json'], null), 'going on');
  const after = read(join(root, 'log'));
  for (const [step, { status }] of Object.entries(shown.steps))
    if (status === 'SUCCEEDED' && times(after, step) > times(before, step))
      problems.push(`${step} was done again`);
  problems.push(...whole(await start(['resume', id, '--json'], null), 'going on again'));
  if (read(join(root, 'log')) !== after) problems.push('going on with a run that is over did something');
  return problems;
}

function whole({ code, stdout, stderr }: Ran, what: string): string[] {
  if (code === 0 && (JSON.parse(stdout) as Document).status === 'SUCCEEDED') return [];
  return [`${what} ended with ${String(code)}: ${stdout.slice(0, 300)} ${stderr.slice(0, 300)}`];
}

function times(log: string, word: string): number {
  return log.split('\n').filter((line) => line === word).length;
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Artifacts of which a file is missing, and what was left beside them. */
function halves(root: string): string[] {
  const context = join(root, 'context');
  if (!existsSync(context)) return ['there is no context folder'];
  const names = readdirSync(context, { recursive: true, encoding: 'utf8' });
  return [
    ...names
      .filter((name) => /(^|\/)\.[^/]+\.(new|old|mailroom-tmp)$/.test(name))
      .map((name) => `${name} is left over`),
    ...names
      .filter((name) => /\/(made|got)$/.test(name) && readdirSync(join(context, name)).length !== 2)
      .map((name) => `half of ${name}`),
  ];
}

function survivors(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
        return isOurs
          ? [`still running: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
          : [];
      } catch {
        return [];
      }
    });
}
