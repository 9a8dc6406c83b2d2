// The build runs this in a separate process: it executes what most commands have in common, in a
// project made for the purpose, and writes the code that V8 has compiled to the named file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileProgram } from '../bin/program.cjs';

const [program, cache] = process.argv.slice(2);
const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'mailroom-build-'));

const workflow = `name: one
version: '1'
timeout: 1m
steps: { one: { command: ['true'] } }
`;
const commands =
  basename(program) === 'help.cjs'
    ? [['--help'], ['run', '--help']]
    : [['init'], ['status'], ['plan', 'one.yaml'], ['run', 'one.yaml']];

try {
  process.chdir(project);
  writeFileSync('one.yaml', workflow);
  const { exports, script } = compileProgram(program);
  for (const command of commands) await exports.main(command, packageRoot);
  writeFileSync(cache, script.createCachedData());
} finally {
  process.chdir(packageRoot);
  rmSync(project, { recursive: true, force: true });
}
process.exit(0);
