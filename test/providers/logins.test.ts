import { expect, it } from 'vitest';
import { loginOf } from '../../src/providers/logins.ts';

const there =
  (...paths: readonly string[]) =>
  (path: string) =>
    paths.includes(path);

it.each([
  ['claude', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.credentials.json'],
  ['codex', {}, '/home/ada/.codex/auth.json'],
  ['gemini', {}, '/home/ada/.gemini/oauth_creds.json'],
  ['gemini', {}, '/home/ada/.gemini/gemini-credentials.json'],
  ['opencode', {}, '/home/ada/.local/share/opencode/auth.json'],
])('knows the login of %s with %j by %s', (cli, variables, file) => {
  const environment = { HOME: '/home/ada', ...variables };
  expect(loginOf(cli, environment, there(file)).found).toBe(file);
  expect(loginOf(cli, environment, there()).found).toBe(null);
});

it('takes a key that is set for a login, and an empty one for none', () => {
  expect(loginOf('gemini', { GEMINI_API_KEY: 'x' }, there()).found).toBe('GEMINI_API_KEY is set');
  expect(loginOf('gemini', { GEMINI_API_KEY: '' }, there()).found).toBe(null);
});
