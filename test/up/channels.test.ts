import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Hooks } from '../../src/project/definition/hooks.ts';
import { Project } from '../../src/project/project.ts';
import { withChannels } from '../../src/up/channels.ts';
import { packageRoot } from '../support/project.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-channels-')));

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Opens the channels of a project with one on GitHub. */
function open(hooks: readonly Hooks[]) {
  mkdirSync(join(root, 'protocols'), { recursive: true });
  const channel = '{ kind: github, repository: acme/shop, people: { ada: user } }';
  writeFileSync(join(root, 'mailroom.yaml'), `channels: { forge: ${channel} }\n`);
  const protocol =
    'name: p\nversion: "1"\nroles: { maker: { provider: claude } }\nmessages: { task: { from: user, to: maker } }\nstart: { to: maker, type: task }\n';
  writeFileSync(join(root, 'protocols/p.yaml'), protocol);
  const environment = { GITHUB_TOKEN: 'secret' };
  const project = Project.at(root, { packageRoot, environment, hooks });
  const close = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const workflows = { close } as unknown as Parameters<typeof withChannels>[0];
  return { close, opened: withChannels(workflows, project, { wake() {}, failed() {} }) };
}

it('a channel whose kind no extension opens is refused by its name, and what was open is closed', async () => {
  const { close, opened } = open([]);
  await expect(opened).rejects.toMatchObject({
    code: 'E_USAGE',
    message: 'the channel forge is of the kind github, which is not part of this program',
    hint: 'remove channels.forge from mailroom.yaml',
  });
  expect(close).toHaveBeenCalledOnce();
});

it('a channel is opened by the extension that has its kind', async () => {
  const github = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('opened')));
  await expect(open([{}, { channels: { github } }]).opened).rejects.toThrow('opened');
  expect(github).toHaveBeenCalledWith(
    expect.objectContaining({ name: 'forge', repository: 'acme/shop' }),
    expect.objectContaining({ environment: { GITHUB_TOKEN: 'secret' } }),
  );
});
