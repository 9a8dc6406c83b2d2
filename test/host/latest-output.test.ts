import { beforeEach, describe, expect, it } from 'vitest';
import { agentText, latestLines } from '../../src/host/latest-output.ts';
import { maskOf } from '../../src/process/output/mask.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { unmasked } from '../../src/kernel/mask.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const files = { stdout: 'stdout', stderr: 'stderr' };
const asText = { mask: unmasked, said: null };

describe('the latest output of a process', () => {
  let now = 1;
  let disk = new MemoryDisk(() => now);
  beforeEach(() => {
    now = 1;
    disk = new MemoryDisk(() => now);
  });

  it('is the last lines of the stream that was written to last, without empty ones', () => {
    disk.write('stdout', 'one\n\ntwo\r\nthree 10%\rthree 20%\n');
    expect(latestLines(disk, files, 2, asText)).toEqual(['three 10%', 'three 20%']);
    now = 2;
    disk.write('stderr', 'a warning\n');
    expect(latestLines(disk, files, 2, asText)).toEqual(['a warning']);
    now = 3;
    disk.write('stdout', 'four\n');
    expect(latestLines(disk, files, 2, asText)).toEqual(['four']);
  });

  it('is empty before the first line, and where the disk refuses', () => {
    expect(latestLines(disk, files, 5, asText)).toEqual([]);
    disk.write('stdout', 'one\n');
    disk.beforeRead = () => {
      throw new MailroomError('E_DISK', 'cannot read');
    };
    expect(latestLines(disk, files, 5, asText)).toEqual([]);
  });

  it('is read from the end of a large file, and keeps whole characters', () => {
    disk.write('stdout', `${'é'.repeat(200_000)}\nlast\n`);
    const [long = '', last] = latestLines(disk, files, 5, asText);
    expect(last).toBe('last');
    expect(new Set(long)).toEqual(new Set('é'));
    expect(long.length).toBeLessThan(140_000);
  });

  it('is the texts of an agent, and its errors until there is one', () => {
    const said = agentText({ said: (stdout) => stdout.replaceAll(/.*"said":"(.*)".*/g, '$1') });
    disk.write('stdout', '{"said":"I read the task."}\n');
    now = 2;
    disk.write('stderr', 'a notice\n');
    expect(latestLines(disk, files, 5, { mask: unmasked, said })).toEqual(['I read the task.']);
    disk.write('stdout', '');
    expect(latestLines(disk, files, 5, { mask: unmasked, said })).toEqual(['a notice']);
  });

  it('leaves out the events of an agent whose texts no one can read', () => {
    disk.write('stdout', '{"type":"start"}\nhello\n{"type":"end"}\n');
    const reading = { mask: unmasked, said: agentText(undefined) };
    expect(latestLines(disk, files, 5, reading)).toEqual(['hello']);
  });

  it('has no secrets', () => {
    disk.write('stdout', 'the key is correct-horse-battery\n');
    const mask = maskOf(['correct-horse-battery']);
    expect(latestLines(disk, files, 5, { mask, said: null })).toEqual(['the key is ***']);
  });
});
