// The steps of a release, in the order of docs/contributing/releasing.md:
//
//   node scripts/release.mjs prepare 0.2.0   edits, makes the fixture, runs all checks, tags
//   node scripts/release.mjs publish         tests the package, publishes with provenance
//
// Nothing leaves this machine by `prepare`. `publish` belongs to .github/workflows/release.yml.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
const write = (path, text) => writeFileSync(`${root}${path}`, text);

function run(program, ...args) {
  console.log(`$ ${[program, ...args].join(' ')}`);
  execFileSync(program, args, { cwd: root, stdio: 'inherit' });
}

function output(program, ...args) {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();
}

function demand(holds, problem) {
  if (!holds) throw new Error(problem);
}

/** The changelog with the unreleased part under a version, and an empty one above it. */
export function released(changelog, version, day) {
  const [, changes] = /^## \[Unreleased\]\n([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? [];
  demand(changes?.trim(), 'CHANGELOG.md has nothing under [Unreleased]');
  return changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`);
}

function isLater(version, than) {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number));
  const index = a.findIndex((part, at) => part !== b[at]);
  return index !== -1 && a[index] > b[index];
}

function prepare(version) {
  demand(/^\d+\.\d+\.\d+$/.test(version ?? ''), 'give a version: node scripts/release.mjs prepare 0.2.0');
  const { version: present } = JSON.parse(read('package.json'));
  const isFirst = output('git', 'tag', '--list', 'v*') === '';
  demand(isLater(version, present) || (isFirst && version === present), `${version} is not after ${present}`);
  demand(output('git', 'status', '--porcelain') === '', 'commit or remove your changes first');
  demand(output('git', 'branch', '--show-current') === 'main', 'releases are made of main');
  write('CHANGELOG.md', released(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)));
  if (version !== present) run('npm', 'version', version, '--no-git-tag-version');
  run('node', 'scripts/release-fixture.mjs');
  run('npm', 'run', 'ci');
  run('git', 'add', '--all');
  run('git', 'commit', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Mailroom ${version}`);
  console.log(`\nRead \`git show v${version}\`. Then: git push --atomic origin main v${version}`);
}

function publish() {
  const { version } = JSON.parse(read('package.json'));
  const tag = output('git', 'describe', '--exact-match', '--tags');
  demand(tag === `v${version}`, `the tag is ${tag}, and package.json says ${version}`);
  run('npm', 'run', 'test:long', 'test/tooling/package');
  run('npm', 'publish', '--provenance', '--access', 'public');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [verb, version] = process.argv.slice(2);
  try {
    if (verb === 'prepare') prepare(version);
    else if (verb === 'publish') publish();
    else throw new Error('usage: node scripts/release.mjs prepare VERSION | publish');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
