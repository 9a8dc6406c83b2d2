// Builds the site of the documentation into site/dist/site; `--serve` shows it at an address of
// this machine. Its generator is installed in site/ by the first build: nothing else needs it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'site');
const pages = join(site, 'dist', 'pages');

function run(program, ...args) {
  const { status } = spawnSync(program, args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(site, 'node_modules')))
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
rmSync(pages, { recursive: true, force: true });
mkdirSync(pages, { recursive: true });
const texts = readdirSync(root).filter((name) => name.endsWith('.md'));
for (const name of [...texts, 'docs']) cpSync(join(root, name), join(pages, name), { recursive: true });
const vitepress = join('node_modules', '.bin', 'vitepress');
run(vitepress, 'build');
if (process.argv.includes('--serve')) run(vitepress, 'preview');
