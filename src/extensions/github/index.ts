import { setTimeout as wait } from 'node:timers/promises';
import metadata from '../../../package.json' with { type: 'json' };
import type { Extension } from '../../cli/extension.ts';
import type { GithubChannel } from '../../config/config.ts';
import type { Push } from './github.ts';

/** Issues and pull requests of a repository on GitHub as a channel. */
export const github: Extension = {
  name: 'github',
  channels: {
    github: async (settings, { disk, marks, environment }) => {
      const { secretOf } = await import('../../channels/host/secret.ts');
      const token = secretOf(settings, environment);
      const [{ Github }, { GithubApi }] = await Promise.all([import('./github.ts'), import('./api.ts')]);
      const { api } = settings;
      const pause = (milliseconds: number) => wait(milliseconds);
      const options = { api, token, version: metadata.version, now: Date.now, wait: pause };
      return new Github(settings, new GithubApi(options), marks, pusher(disk.root, settings));
    },
  },
};

function pusher(root: string, { git }: GithubChannel): Push {
  return async (commit, branch) => {
    const { originOf, sendWork } = await import('../../git/travel.ts');
    const url = git ?? (await originOf(root));
    if (url === null) return 'the project has no remote `origin`, and `git` of the channel is not set';
    const sent = await sendWork(root, url, commit, `refs/heads/${branch}`);
    return sent.ok ? null : sent.problem;
  };
}
