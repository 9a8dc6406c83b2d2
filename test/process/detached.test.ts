import { expect, it } from 'vitest';
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDetached } from '../../src/process/supervision/detached.ts';
import { appears } from '../support/appears.ts';

it('starts a notification whatever the message says, and never throws', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-detached-'));
  try {
    const variables = (subject: string) => ({ inherit: [], set: { SUBJECT: subject } });
    const shell = ['sh', '-c', 'printf %s "$SUBJECT" > said.tmp; mv said.tmp said'];
    startDetached(shell, folder, variables('a\0b'));
    await appears(join(folder, 'said'));
    expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('a\ufffdb');
    expect(() => startDetached(shell, folder, variables('x'.repeat(4_000_000)))).not.toThrow();
    expect(() => startDetached(['/no/such\0program'], folder, variables(''))).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
