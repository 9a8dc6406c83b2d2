import { spawn } from 'node:child_process';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  hasMark,
  findProgram,
  isFolder,
  listProcesses,
  pidCounter,
  readMark,
  readProcess,
} from '../../src/process/proc.ts';
import { until } from './support.ts';

describe('what the system says', () => {
  it('knows this process', () => {
    const info = readProcess(process.pid);
    expect(info).toMatchObject({ pid: process.pid, parent: process.ppid, ended: false });
    expect(info!.startTime).toMatch(/^[0-9a-f]{8}-\d+$/);
    expect(readProcess(process.pid)!.startTime).toBe(info!.startTime);
    expect(listProcesses()).toContain(process.pid);
  });

  it('knows no process of a number that is not given out', () => {
    expect(readProcess(4_194_305)).toBeNull();
    expect(readMark(4_194_305)).toBeNull();
  });

  it('knows how far the numbers are', () => {
    const { last, limit } = pidCounter()!;
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(limit);
  });

  it('distinguishes an environment that is empty from one that has no mark and from none', async () => {
    const env = { PATH: process.env['PATH'] };
    const [bare, other] = [{}, env].map((each) => spawn('/bin/sleep', ['1000'], { env: each }));
    onTestFinished(() => void [bare, other].map((child) => child!.kill('SIGKILL')));
    await until('it has its environment', () => hasMark(other!.pid!, 'any') === false);
    const marks = [bare!.pid!, other!.pid!, 4_194_305].map((pid) => hasMark(pid, 'any'));
    expect(marks).toEqual([null, false, false]);
  });

  it('finds programs as the system would', () => {
    expect(findProgram('sh', '/nowhere:/bin', '/')).toBe('found');
    expect(findProgram('sh', '/nowhere', '/')).toBe('missing');
    expect(findProgram('/bin/sh', undefined, '/')).toBe('found');
    expect(findProgram('./sh', '/nowhere', '/bin')).toBe('found');
    expect(findProgram('etc/passwd', undefined, '/')).toBe('not-executable');
    expect(findProgram('passwd', '/etc', '/')).toBe('not-executable');
    expect(findProgram('a\0b', '/etc', '/')).toBe('missing');
    expect(findProgram('etc', '/', '/')).toBe('missing');
  });

  it('distinguishes folders from files and from nothing', () => {
    expect([
      isFolder('/etc'),
      isFolder('/etc/passwd'),
      isFolder('/nowhere'),
      isFolder('/etc/passwd/x'),
    ]).toEqual([true, false, false, false]);
  });
});
