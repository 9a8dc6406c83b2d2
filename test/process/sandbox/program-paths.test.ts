import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support.ts';
import { programPaths } from '../../../src/process/sandbox/program-paths.ts';

it('shows a program the files that its variables name, but no folder that holds the home', () => {
  const env = {
    HOME: '/home/me',
    MAILROOM_RECORDING: '/srv/recording',
    OPENCODE_CONFIG: '/home/me/opencode.json',
    GOOGLE_APPLICATION_CREDENTIALS: '/srv/key.json',
    SSL_CERT_DIR: '/home',
    NODE_EXTRA_CA_CERTS: 'relative.pem',
  };
  const paths = programPaths({ argv: ['agent'], workspace: '/', env });
  expect(paths).toEqual(
    expect.arrayContaining(['/srv/recording', '/home/me/opencode.json', '/srv/key.json']),
  );
  expect(paths).not.toContain('/home');
  expect(paths).not.toContain('relative.pem');
});

it('shows every place that a program is reached by, from where it runs, however its links go', () => {
  const root = temporaryFolder();
  const [workspace, packages, alias] = ['work', 'real/node_modules', 'alias'].map((path) =>
    join(root, path),
  ) as [string, string, string];
  mkdirSync(join(packages, '.bin'), { recursive: true });
  mkdirSync(join(packages, 'agent'));
  mkdirSync(workspace);
  writeFileSync(join(packages, 'agent/cli.js'), '');
  symlinkSync('../agent/cli.js', join(packages, '.bin/agent'));
  symlinkSync('real', alias);
  symlinkSync('../alias/node_modules', join(workspace, 'node_modules'));
  const paths = programPaths({ argv: ['node_modules/.bin/agent'], workspace, env: { HOME: '/home/me' } });
  expect(paths).toEqual(
    expect.arrayContaining([packages, join(alias, 'node_modules'), join(workspace, 'node_modules')]),
  );
});
