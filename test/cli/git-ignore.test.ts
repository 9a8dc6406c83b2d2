import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { mindGitIgnore } from '../../src/cli/git-ignore.ts';
import type { Workflow } from '../../src/workflow/model.ts';

const cancelled = Symbol('cancelled');
let answer: unknown = true;
vi.mock('@clack/prompts', () => ({
  confirm: () => Promise.resolve(answer),
  isCancel: (given: unknown) => given === cancelled,
}));

/** What is said and done on the first run of a workflow that brings its own place. */
async function asked(given: unknown, { interactive = true, isFirst = true } = {}): Promise<string[]> {
  answer = given;
  const told: string[] = [];
  const records = { lines: ['.orchestrator/', '.mailroom/'], isFirst, ignore: () => told.push('ignored') };
  const context = {
    place: () => ({ workflows: { records: () => records } }),
    terminal: { interactive, complain: (text: string) => told.push(text) },
  } as unknown as Context;
  const workflow = { ownWorkspace: { workspace: 'workspace', records: '.orchestrator/runs' } } as Workflow;
  await mindGitIgnore(context, workflow, '/project/workspace', false);
  return told;
}

describe('on its first run orchestrate', () => {
  it('puts its records into .gitignore when it may', async () => {
    expect(await asked(true)).toEqual(['ignored']);
    expect(await asked(false)).toEqual([]);
    expect(await asked(true, { isFirst: false })).toEqual([]);
  });

  it('starts nothing when the question is broken off', async () => {
    await expect(asked(cancelled)).rejects.toMatchObject({ code: 'E_CANCELLED' });
  });

  it('only says so without a terminal', async () => {
    expect(await asked(true, { interactive: false })).toEqual([
      'put .orchestrator/ and .mailroom/ into .gitignore: runs are kept there\n',
    ]);
  });
});
