import { afterEach, expect, it, vi } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';

interface Question {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

let asked: Question[] = [];
let answers: string[] = [];
vi.mock('@clack/prompts', () => ({
  select: (question: Question) => {
    asked.push(question);
    return Promise.resolve(answers.shift());
  },
  isCancel: () => false,
}));
afterEach(() => {
  asked = [];
  answers = [];
});

it('marks in its list what is not installed, and takes it all the same', async () => {
  const fixture = new ProjectFixture();
  fixture.terminal.interactive = true;
  answers = ['solo', 'codex'];
  const { code, out } = await fixture.run('init');
  expect(code).toBe(0);
  expect(asked.at(-1)?.options.slice(1, 8)).toEqual([
    { value: 'claude', label: 'claude' },
    { value: 'codex', label: 'codex (not installed)' },
    { value: 'gemini', label: 'gemini' },
    { value: 'opencode', label: 'opencode' },
    { value: 'pi', label: 'pi' },
    { value: 'agy', label: 'agy' },
    { value: 'copilot', label: 'copilot' },
  ]);
  expect(out).toContain('codex is not installed here: mail waits until it is.\n');
});
