import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withProgramHome } from '../../src/process/sandbox/program-home.ts';
import { temporaryFolder } from './support.ts';
import type { CommandLine } from '../../src/providers/provider.ts';

const command: CommandLine = {
  argv: ['agent'],
  env: {},
  inherit: [],
  stdin: '',
  files: {},
  writable: [],
  home: {
    variable: 'AGENT_HOME',
    folder: '.agent',
    beside: ['.env'],
    lasting: ['chats'],
    settings: { name: 'settings.json', text: (own, path) => `${own ?? 'none'} at ${path}` },
  },
};

function person(): string {
  const home = temporaryFolder();
  mkdirSync(join(home, '.agent'));
  writeFileSync(join(home, '.agent/settings.json'), 'mine');
  writeFileSync(join(home, '.agent/login.json'), 'old');
  writeFileSync(join(home, '.env'), 'KEY=1');
  return home;
}

it('shows a program what the person has, with settings of its own, and changes none of theirs', () => {
  const home = person();
  const temporary = temporaryFolder();
  const env = withProgramHome(command, { HOME: home, LANG: 'C' }, { cwd: '/', temporary });
  const { AGENT_HOME: ours = '' } = env;
  expect(env).toEqual({ HOME: home, LANG: 'C', AGENT_HOME: join(temporary, 'home') });
  const read = (path: string) => readFileSync(join(ours, path), 'utf8');
  expect([read('.env'), read('.agent/login.json')]).toEqual(['KEY=1', 'old']);
  expect(read('.agent/settings.json')).toBe(`mine at ${home}/.agent/settings.json`);

  // What the program writes into its login and its conversations is the person's; its settings go with the turn.
  writeFileSync(join(ours, '.agent/login.json'), 'renewed');
  writeFileSync(join(ours, '.agent/chats/one.json'), 'hello');
  writeFileSync(join(ours, '.agent/settings.json'), 'changed');
  rmSync(temporary, { recursive: true });
  expect(readFileSync(join(home, '.agent/login.json'), 'utf8')).toBe('renewed');
  expect(readFileSync(join(home, '.agent/chats/one.json'), 'utf8')).toBe('hello');
  expect(readFileSync(join(home, '.agent/settings.json'), 'utf8')).toBe('mine');
});

it('takes the folder that the variable already names, from where the program runs', () => {
  const home = person();
  const place = { cwd: join(home, '..'), temporary: temporaryFolder() };
  const named = home.split('/').at(-1) ?? '';
  const { AGENT_HOME: ours = '' } = withProgramHome(command, { HOME: '/nowhere', AGENT_HOME: named }, place);
  expect(readFileSync(join(ours, '.agent/login.json'), 'utf8')).toBe('old');
});

it('needs no folder of the person, and makes what outlives the turn', () => {
  const home = temporaryFolder();
  const { AGENT_HOME: ours = '' } = withProgramHome(
    command,
    { HOME: home },
    { cwd: '/', temporary: temporaryFolder() },
  );
  expect(readdirSync(join(home, '.agent'))).toEqual(['chats']);
  expect(lstatSync(join(ours, '.agent/chats')).isSymbolicLink()).toBe(true);
  expect(existsSync(join(ours, '.agent/settings.json'))).toBe(true);
});

it('leaves the environment of others alone', () => {
  const { home: _, ...plain } = command;
  expect(withProgramHome(plain, { HOME: '/home/ada' }, { cwd: '/', temporary: '/nowhere' })).toEqual({
    HOME: '/home/ada',
  });
});
