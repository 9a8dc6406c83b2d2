import { describe, expect, it } from 'vitest';
import { buildEnvironment, secretsOfHost } from '../../../src/process/sandbox/environment.ts';

const HOST = {
  PATH: '/bin',
  HOME: '/home/ada',
  LC_ALL: 'C',
  LC_TIME: 'de_DE',
  TMPDIR: '/scratch',
  AWS_SECRET: 'x',
  MY_ONE: '1',
  MY_TWO: '2',
  MYSELF: '3',
  // They begin and end with names that are inherited.
  HOMEBREW_GITHUB_API_TOKEN: 'x',
  USER_TOKEN: 'x',
  SECRET_HOME: 'x',
  MAILROOM_MARK: 'outer',
};

describe('environment of a process', () => {
  it('inherits the usual names and nothing else, not those that contain one', () => {
    expect(buildEnvironment({ from: HOST })).toEqual({
      PATH: '/bin',
      HOME: '/home/ada',
      LC_ALL: 'C',
      LC_TIME: 'de_DE',
      TMPDIR: '/scratch',
      SHLVL: '1',
    });
  });

  it('inherits names and patterns that the configuration gives', () => {
    const environment = buildEnvironment({ from: { ...HOST, A$B: '4', AxB: '5' }, inherit: ['MY_*', 'A$B'] });
    expect(environment).toMatchObject({ MY_ONE: '1', MY_TWO: '2', A$B: '4' });
    expect(environment).not.toHaveProperty('MYSELF');
    expect(environment).not.toHaveProperty('AxB');
  });

  it('sets variables over inherited ones', () => {
    expect(buildEnvironment({ from: HOST, set: { HOME: '/turn', NEW: 'n' } })).toMatchObject({
      HOME: '/turn',
      NEW: 'n',
    });
  });

  it('leaves out what the host does not have', () => {
    expect(buildEnvironment({ from: { PATH: undefined } })).toEqual({ SHLVL: '1' });
  });

  it('tells shells how deep they are, as a terminal does', () => {
    expect(buildEnvironment({ from: { SHLVL: '3' } })).toEqual({ SHLVL: '3' });
  });
});

it('takes for secrets what is long enough and named like one', () => {
  const secrets = {
    API_KEY: 'one-of-four',
    gh_token: 'two-of-four',
    MY_SECRET: 'three-of-4',
    PASSWORD2: 'four-of-four',
  };
  const others = { HOME: '/home/someone', SHORT_KEY: '1234567', UNSET_TOKEN: undefined };
  expect(secretsOfHost({ ...others, ...secrets })).toEqual(Object.values(secrets));
});
