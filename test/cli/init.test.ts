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

it('lists what is installed, and then the rest, which it takes all the same', async () => {
  const fixture = new ProjectFixture();
  fixture.terminal.interactive = true;
  answers = ['solo', 'other', 'codex'];
  const { code, out } = await fixture.run('init');
  expect(code).toBe(0);
  const [, first, rest] = asked.map(({ options }) => options.map(({ value }) => value));
  expect(first?.slice(0, 3)).toEqual(['', 'claude', 'gemini']);
  expect(first?.at(-1)).toBe('other');
  expect(rest).toEqual(['codex']);
  expect(out).toContain('codex is not installed here: mail waits until it is.\n');
});
