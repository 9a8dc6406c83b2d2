import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeSpawnError, whyNotStart } from '../../src/process/refusal.ts';

const cwd = mkdtempSync(join(tmpdir(), 'mailroom-refusal-'));
afterAll(() => rmSync(cwd, { recursive: true }));

function program(name: string, text: string): string {
  writeFileSync(join(cwd, name), text, { mode: 0o755 });
  return `./${name}`;
}

describe('a script', () => {
  it.each([
    ['#! /gone/bash -e\n', '/gone/bash'],
    ['#!/gone/sh', '/gone/sh'],
    ['#!gone\n', 'gone'],
  ])('that begins with %j cannot be started, because its interpreter is gone', (text, interpreter) => {
    expect(whyNotStart([program('dead', text)], { cwd, env: {} })).toEqual({
      exitCode: 127,
      error: `interpreter not found: the first line of ./dead names ${interpreter}`,
    });
  });

  it.each(['#!/bin/sh\n', '#! /usr/bin/env nosuch\n', 'echo hi\n', '#!', ''])(
    'that begins with %j can',
    (text) => {
      expect(whyNotStart([program('alive', text)], { cwd, env: {} })).toBeNull();
    },
  );
});

it('a program whose loader is missing is said to have none', async () => {
  const error = await new Promise((resolve) =>
    spawn(program('lost', '#!/gone/loader\n'), { cwd }).once('error', resolve),
  );
  expect(describeSpawnError(error)).toBe('the system found the program, but not the loader that it names');
});
