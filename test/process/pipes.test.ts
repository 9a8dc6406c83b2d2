import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settledWithin } from '../../src/process/pipes.ts';
import { inTemporary } from '../../src/process/temporaries.ts';

it('reads what lies in a pipe although this process was held up for longer than it waits', () =>
  inTemporary(async (folder) => {
    const written = join(folder, 'written');
    const child = spawn('sh', ['-c', 'echo words; : > "$0"', written], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const settled = settledWithin([child.stdout], 1);
    const clock = new Int32Array(new SharedArrayBuffer(4));
    do Atomics.wait(clock, 0, 0, 5);
    while (!existsSync(written));
    await settled;
    expect(text).toBe('words\n');
  }));
