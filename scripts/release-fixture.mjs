// Makes the project of this version in test/fixtures/releases/: a thread with an open question, and
// a run. Later versions must read it and continue the thread. Until the version is tagged, it may
// be made again.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const fixture = join(root, 'test/fixtures/releases', version);

const workflow = `name: look
version: '1'
timeout: 1m
steps:
  list: { command: [ls, protocols], stdout: list.txt, outputs: [{ name: list, path: list.txt }] }
`;

/** What a project has besides the files of its author, and what later versions need of it. */
const kept = ['agents', 'protocols', 'workflows', 'mailroom.yaml', '.mailroom/journal', '.mailroom/runs'];

function make(project) {
  const mailroom = (...args) =>
    execFileSync(process.execPath, [join(root, 'bin/mailroom'), '-C', project, ...args], {
      stdio: 'inherit',
    });
  mailroom('init', '--template', 'solo');
  mkdirSync(join(project, 'workflows'));
  writeFileSync(join(project, 'workflows/look.yaml'), workflow);
  mailroom('send', 'reviewer', '--message', 'Review the last commit.');
  mailroom('up', '--until-idle');
  mailroom('run', 'look');
}

const tag = execFileSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' });
if (tag !== '') throw new Error(`${tag.trim()} is released: its project never changes`);
const project = mkdtempSync(join(tmpdir(), 'mailroom-release-'));
try {
  make(project);
  rmSync(fixture, { recursive: true, force: true });
  // Git leaves folders of the name .mailroom alone.
  for (const path of kept)
    cpSync(join(project, path), join(fixture, path.replace('.mailroom', 'state')), { recursive: true });
} finally {
  rmSync(project, { recursive: true, force: true });
}
console.log(`made ${fixture}`);
