import { expect, it } from 'vitest';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { stepLogs } from '../../../src/workflow/files/logs.ts';

/** What whoever follows a log is told, each time that so much more was printed. */
function told(...pieces: readonly Buffer[]): string[] {
  const disk = new MemoryDisk(() => 0);
  const file = '.mailroom/runs/run-1/steps/build/1.1/stdout';
  let end = 0;
  return pieces.map((_, index) => {
    disk.write(file, Buffer.concat(pieces.slice(0, index + 1)));
    const [log] = stepLogs(disk, 'run-1');
    const read = log?.read(end) ?? { text: 'no log', end };
    end = read.end;
    return read.text;
  });
}

it('tells each character of a log once, whatever bytes a program prints', () => {
  const euro = Buffer.from('€');
  expect(told(euro.subarray(0, 2), euro.subarray(2), Buffer.from('a'))).toEqual(['', '€', 'a']);
  expect(told(Buffer.from('\ufeffa'), Buffer.from('b'))).toEqual(['\ufeffa', 'b']);
  expect(told(Buffer.of(0xff, 0xe9, 0x61), Buffer.from('next'))).toEqual(['\ufffd\ufffda', 'next']);
  expect(told(Buffer.from('🙂').subarray(0, 3), Buffer.from('🙂').subarray(3))).toEqual(['', '🙂']);
});
