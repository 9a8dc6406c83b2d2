import { expect, it } from 'vitest';
import { programPaths } from './program-paths.ts';

it('shows a program the files that its variables name, but no folder that holds the home', () => {
  const env = {
    HOME: '/home/me',
    MAILROOM_RECORDING: '/srv/recording',
    OPENCODE_CONFIG: '/home/me/opencode.json',
    GOOGLE_APPLICATION_CREDENTIALS: '/srv/key.json',
    SSL_CERT_DIR: '/home',
    NODE_EXTRA_CA_CERTS: 'relative.pem',
  };
  const paths = programPaths({ argv: ['agent'], env });
  expect(paths).toEqual(
    expect.arrayContaining(['/srv/recording', '/home/me/opencode.json', '/srv/key.json']),
  );
  expect(paths).not.toContain('/home');
  expect(paths).not.toContain('relative.pem');
});
