import { describe, expect, it } from 'vitest';
import { gitEnvironment } from '../../src/git/git.ts';

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

  it('names author and committer, and the instant in seconds', () => {
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
