import { describe, expect, it } from 'vitest';
import { gitEnvironment, whyGitFailed } from '../../src/git/git.ts';

describe('environment of git', () => {
  it('takes over nothing that points it elsewhere', () => {
    const host = {
      PATH: '/bin',
      GIT_DIR: '/other',
      GIT_INDEX_FILE: 'x',
      GIT_AUTHOR_NAME: 'y',
      XDG_CONFIG_HOME: '/c',
    };
    const environment = gitEnvironment(host, undefined, {});
    expect(Object.keys(environment).filter((name) => name.startsWith('GIT_'))).toEqual([
      'GIT_TERMINAL_PROMPT',
      'GIT_OPTIONAL_LOCKS',
    ]);
    expect(environment).toMatchObject({ PATH: '/bin', XDG_CONFIG_HOME: '/c', LC_ALL: 'C' });
  });

  it('names author and committer, and the time in seconds', () => {
    const identity = { name: 'Ada', email: 'ada@example.org', at: 1_700_000_000_999 };
    expect(gitEnvironment({}, identity, { GIT_INDEX_FILE: 'i' })).toEqual({
      SHLVL: '1',
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.org',
      GIT_AUTHOR_DATE: '@1700000000 +0000',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.org',
      GIT_COMMITTER_DATE: '@1700000000 +0000',
      GIT_INDEX_FILE: 'i',
    });
  });
});

describe('why git failed', () => {
  const result = {
    exitCode: 128,
    ended: 'exited',
    signal: null,
    error: null,
    stdout: '',
    durationMs: 1,
  } as const;

  it.each([
    ["warning: slow\nfatal: no space\nhint: try 'git gc'\n", 'fatal: no space'],
    ['warning: slow\nerror: no lock\nfatal: later\n', 'error: no lock'],
    ['it is not fatal: or is it\nsecond\n', 'it is not fatal: or is it'],
    [
      "fatal: sha1 file '/p/.git/objects/pack/tmp_pack_x7Qz1A' write error. Out of diskspace\n",
      "fatal: sha1 file '/p/.git/objects/pack/tmp_…' write error. Out of diskspace",
    ],
    ['', ''],
  ])('is what %j says first of it', (stderr, why) => {
    expect(whyGitFailed({ ...result, stderr })).toBe(why);
  });

  it('is read from standard output where git prints it there', () => {
    expect(whyGitFailed({ ...result, stderr: 'warning: slow\n', stdout: 'fatal: in it\n' })).toBe(
      'fatal: in it',
    );
  });

  it('is that it did not start, or was ended', () => {
    expect(whyGitFailed({ ...result, stderr: 'fatal: x', error: 'there is no git' })).toBe('there is no git');
    expect(whyGitFailed({ ...result, stderr: 'fatal: x', ended: 'timeout' })).toBe('ended by timeout');
  });
});
