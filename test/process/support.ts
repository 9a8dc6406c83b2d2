import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { readPlainFile } from '../../src/process/plain-file.ts';
import { buildEnvironment } from '../../src/process/sandbox/environment.ts';
import { listProcesses, readMark, readProcess } from '../../src/process/proc.ts';
import { supervise } from '../../src/process/supervision/supervise.ts';
import { sweepMarked } from '../../src/process/sweep.ts';
import type { Containment, ProcessSpec, Supervised } from '../../src/process/types.ts';

/** Waits for a condition and fails with its name when it does not come. */
export async function until(what: string, condition: () => boolean, deadlineMs = 20_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await wait(2);
  }
}

/** Lets time pass where the moment itself is what is tested; never to wait for something. */
export async function pause(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
}

/** Keeps this process busy, as a suspended or overloaded host is. */
export function holdUp(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** The path of a scripted process. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/process/${name}`, import.meta.url));
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** False once a process has ended, whether or not its parent has taken notice. */
export function lives(pid: number): boolean {
  return readProcess(pid)?.ended === false;
}

/** The living processes with this mark in their environment. */
export function marked(mark: string): number[] {
  return (listProcesses() ?? []).filter((pid) => readMark(pid)?.startsWith(mark) === true && lives(pid));
}

/** How many files this process has open. */
export function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** The living processes whose arguments hold this text. */
export function processesNaming(text: string): number[] {
  return (listProcesses() ?? []).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** A mark that no other test has; whatever still carries it after the test is ended. */
export function freshMark(): string {
  const mark = `test-${process.pid}-${Math.random().toString(36).slice(2)}`;
  onTestFinished(async () => {
    if (marked(mark).length > 0) await sweepMarked(mark, 0);
  });
  return mark;
}

export interface Started extends Supervised {
  readonly spec: ProcessSpec;
  stdout(): string;
  stderr(): string;
  /** The first 64 KB that the hooks have seen. */
  readonly seen: { stdout: string; stderr: string };
}

interface Changes extends Partial<ProcessSpec> {
  /** Called for every piece of output. */
  readonly watch?: () => void;
}

/** Supervises a process with short times and its output in a temporary folder. */
export function start(argv: readonly string[], { watch, ...changes }: Changes = {}): Started {
  const folder = temporaryFolder();
  const spec: ProcessSpec = {
    argv,
    cwd: folder,
    env: buildEnvironment(),
    stdin: '',
    mark: freshMark(),
    containment: { kind: 'group' },
    launchBarrier: false,
    limits: { totalMs: null, idleMs: null, outputBytes: 1_000_000 },
    secrets: [],
    stdoutFile: join(folder, 'stdout'),
    stderrFile: join(folder, 'stderr'),
    graceMs: 300,
    ...changes,
  };
  const seen = { stdout: '', stderr: '' };
  const supervised = supervise(spec, {
    output(stream, chunk) {
      watch?.();
      if (seen[stream].length < 65_536) seen[stream] += chunk.toString();
    },
  });
  const read = (file: string) => () => readPlainFile(file) ?? '';
  return { ...supervised, spec, seen, stdout: read(spec.stdoutFile), stderr: read(spec.stderrFile) };
}

/** Every kind of containment that works here; a sandbox may write the given folders. */
export async function containmentsHere(writable: readonly string[] = [tmpdir()]): Promise<Containment[]> {
  const probe = await probeContainment();
  const readable = [fileURLToPath(new URL('..', import.meta.url))];
  return [
    { kind: 'group' },
    ...(probe.namespace.works
      ? [{ kind: 'namespace', user: probe.namespace.user, network: true } as const]
      : []),
    ...(probe.bubblewrap.works
      ? [{ kind: 'bubblewrap', writable, readable, network: true, nests: false } as const]
      : []),
  ];
}
