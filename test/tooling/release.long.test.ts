import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/*
 * The script of a release in a small repository, with an npm that only notes what it is asked for.
 */

const checkout = fileURLToPath(new URL('../..', import.meta.url));
let repository = '';

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();

function release(...args: readonly string[]) {
  const env = { ...process.env, PATH: `${join(repository, '.git/bin')}:${process.env['PATH'] ?? ''}` };
  return spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: repository,
    env,
    encoding: 'utf8',
  });
}

/** What npm and npx were asked for. */
const asked = () => readFileSync(join(repository, '.git/asked'), 'utf8').trim().split('\n');

function write(path: string, text: string): void {
  mkdirSync(join(repository, path, '..'), { recursive: true });
  writeFileSync(join(repository, path), text, { mode: 0o755 });
}

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'mailroom-release-'));
  for (const path of ['scripts/release.mjs', 'scripts/release-fixture.mjs'])
    cpSync(join(checkout, path), join(repository, path));
  symlinkSync(join(checkout, 'bin'), join(repository, 'bin'));
  write('package.json', '{ "version": "0.1.0" }\n');
  write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n- All of it.\n');
  write('test/fixtures/releases/0.1.0/mailroom.yaml', '# of an earlier day\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  const note = `#!/bin/sh\necho "\${0##*/} $*" >> .git/asked\n`;
  const version = `[ "$1" = version ] && echo "{ \\"version\\": \\"$2\\" }" > package.json || true\n`;
  write('.git/bin/npm', note + version);
  write('.git/bin/npx', note);
});
afterEach(() => rmSync(repository, { recursive: true, force: true }));

describe('a release', () => {
  it('is prepared from what is there, the first one and the next, and published from its tag', () => {
    expect(release('prepare', '0.1.0')).toMatchObject({ status: 0, stderr: '' });
    expect(git('log', '--format=%s %D', '-1')).toBe('Release 0.1.0 HEAD -> main, tag: v0.1.0');
    expect(git('status', '--porcelain')).toBe('');
    const day = new Date().toISOString().slice(0, 10);
    expect(git('show', 'HEAD:CHANGELOG.md')).toContain(
      `## [Unreleased]\n\n## [0.1.0] - ${day}\n\n- All of it.`,
    );
    const kept = 'test/fixtures/releases/0.1.0';
    expect(git('show', `HEAD:${kept}/mailroom.yaml`)).toContain('provider: rehearsal');
    expect(git('ls-files', `${kept}/state/journal`)).not.toBe('');
    expect(release('publish')).toMatchObject({ status: 0, stderr: '' });
    expect(asked()).toEqual([
      'npm run ci',
      'npm run test:long test/tooling/package',
      'npm publish --provenance --access public',
    ]);

    expect(release('prepare', '0.1.0').stderr).toBe('0.1.0 is not after 0.1.0\n');
    expect(release('prepare', '0.2.0').stderr).toBe('CHANGELOG.md has nothing under [Unreleased]\n');
    const changelog = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
    write('CHANGELOG.md', changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- More.\n'));
    expect(release('prepare', '0.2.0').stderr).toBe('commit or remove your changes first\n');
    git('commit', '--quiet', '--all', '--message', 'Change');
    expect(release('prepare', '0.2.0')).toMatchObject({ status: 0, stderr: '' });
    expect(git('show', 'v0.2.0:package.json')).toBe('{ "version": "0.2.0" }');
    expect(git('diff', '--stat', 'v0.1.0', 'v0.2.0', '--', kept)).toBe('');
  });

  it('is refused beside main, and published only from its tag', () => {
    git('switch', '--quiet', '--create', 'other');
    expect(release('prepare', '0.1.0').stderr).toBe('releases are made of main\n');
    git('tag', 'v0.0.9');
    expect(release('publish').stderr).toBe('the tag is v0.0.9, and package.json says 0.1.0\n');
    appendFileSync(join(repository, '.git/asked'), 'nothing');
    expect(asked()).toEqual(['nothing']);
  });
});
