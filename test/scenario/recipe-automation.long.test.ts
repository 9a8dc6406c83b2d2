import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ImpostorProject } from '../support/impostor.ts';
import { finished, said } from '../support/project.ts';

/* The recipes of docs/recipes/automation.md, docs/service.md and docs/workers.md as they stand. */

const page = ['recipes/automation.md', 'service.md', 'workers.md']
  .map((name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'))
  .join('\n');
const block = (path: string) =>
  new RegExp(`^\`\`\`\\w+\\n# ${path}\\n([^]+?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

/** Prints the issue, and keeps how it was called to open a pull request. */
const gh = `#!/bin/sh
case "$1" in
  issue) echo '{"title": "Add totals", "body": "See the title"}' ;;
  pr) printf '%s\n' "$@" > "$MAILROOM_PROJECT/.mailroom/opened" ;;
esac
`;

it('an issue becomes a pull request with all that the agent made, and nothing else', async () => {
  const project = new ImpostorProject(
    {
      build: `
        const issue = JSON.parse(fs.readFileSync('given/issue.json', 'utf8'));
        fs.writeFileSync('src.js', '// ' + issue.title + '\\n');
        fs.mkdirSync('test');
        fs.writeFileSync('test/new.test.js', '');`,
    },
    {
      'bin/gh': gh,
      'mailroom.yaml': 'trail: off\nsandbox: off\n',
      'package.json': '{"scripts": {"test": "test -f test/new.test.js"}}\n',
      'workflows/issue.yaml': block('workflows/issue.yaml'),
      '.gitignore': '/bin/\n/play/\n/remote.git/\n/context/\n',
    },
  );
  try {
    chmodSync(join(project.root, 'bin/gh'), 0o755);
    project.makeRepository();
    project.git('init', '-q', '--bare', 'remote.git');
    project.git('remote', 'add', 'origin', 'remote.git');
    const before = project.git('rev-parse', 'HEAD');
    const run = project.start(['run', 'issue', '--param', 'number=42', '--plain']);
    const ended = finished(run);
    await said(run, 'Open the pull request for issue 42?');
    expect(await project.run(['approve'])).toMatchObject({ code: 0 });
    expect(await ended).toMatchObject({ code: 0 });
    const pushed = (...args: string[]) => project.git('-C', 'remote.git', ...args);
    const made = pushed('diff', '--name-only', before, 'issue-42').split('\n');
    expect(made).toEqual(['src.js', 'test/new.test.js']);
    expect(pushed('show', 'issue-42:src.js')).toBe('// Add totals');
    expect([project.git('rev-parse', 'HEAD'), project.git('status', '--porcelain')]).toEqual([before, '']);
    expect(readFileSync(join(project.root, '.mailroom/opened'), 'utf8')).toContain('--head\nissue-42\n');
  } finally {
    project.remove();
  }
});

it('systemd takes the units of the services', (ctx) => {
  const [analyze, escape] = ['/usr/bin/systemd-analyze', '/usr/bin/systemd-escape'];
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-unit-'));
  const units = [...page.matchAll(/^# \/etc\/systemd\/system\/(\S+)$/gm)].map(
    ([, name = '']) => [name, block(`/etc/systemd/system/${name}`)] as const,
  );
  expect(units).toHaveLength(4);
  try {
    // `%I` has no slash at its beginning, and systemd wants an absolute path.
    for (const [name, unit] of units)
      expect(unit).toMatch(name.endsWith('.timer') ? /^OnCalendar=/m : /^WorkingDirectory=(%f|\/home\/.+)$/m);
    if (!existsSync(analyze)) return ctx.skip('systemd-analyze is not installed');
    const name = execFileSync(escape, ['--path', folder], { encoding: 'utf8' }).trim();
    const paths = units.map(([unit, text]) => {
      const path = join(folder, unit.replace('@', `@${name}`));
      writeFileSync(path, text.replace(/^User=.*/m, 'User=root'));
      return path;
    });
    expect(execFileSync(analyze, ['verify', ...paths], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
