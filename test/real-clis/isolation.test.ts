import { networkInterfaces, tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';

describe('what the CLIs find here', () => {
  it('is no network but loopback, where the system allows that', () => {
    const names = Object.keys(networkInterfaces());
    const outside = names.filter((name) => name !== 'lo');
    expect(process.env['MAILROOM_TEST_NETWORK']).toMatch(/^(loopback|shared)$/);
    if (process.env['MAILROOM_TEST_NETWORK'] === 'loopback') expect(outside).toEqual([]);
  });

  it('is no home, login or key of the person who runs the tests', () => {
    expect(process.env['HOME']).toBe(tmpdir());
    const keys = Object.keys(process.env).filter((name) =>
      /^(ANTHROPIC|OPENAI|CODEX|GEMINI|GOOGLE|OPENCODE|XDG)_/.test(name),
    );
    expect(keys).toEqual([]);
  });
});
