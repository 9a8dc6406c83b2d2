import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/**
 * `npx tsx bench/wide.ts [share]` runs wide and deep workflows through the real program and says what each took: 10,000 steps
 * flat and in layers, a chain of 2,000, a loop over 1,000 items, 1 MB of instructions, 100 MB of output. `share`: of these
 * numbers, 1 unless said otherwise.
 */
const share = Number(process.argv[2] ?? 1);
const program = fileURLToPath(new URL('../bin/mailroom', import.meta.url));

const head = 'name: wide\nversion: "1"\ntimeout: 1d\n';
const step = (id: string, needs: readonly string[]) =>
  `  ${id}: { worker: CUSTOM, capabilities: [READ], instructions: "true"${needs.length > 0 ? `, depends_on: [${needs.join(', ')}]` : ''} }\n`;

function layers(count: number, width: number): string {
  const id = (index: number): string => `s${String(index)}`;
  const steps = Array.from({ length: count }, (_none, index) => {
    const above = Math.floor(index / width - 1) * width;
    return step(id(index), index < width ? [] : [id(above), id(above + (index % width))].filter(unique));
  });
  return `${head}steps:\n${steps.join('')}`;
}

function unique(word: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(word) === at;
}

const n = (count: number): number => Math.max(1, Math.round(count * share));
const cases: Readonly<Record<string, () => string>> = {
  flat: () => layers(n(10_000), n(10_000)),
  layers: () => layers(n(10_000), 10),
  chain: () => layers(n(2_000), 1),
  loop: () =>
    `${head}steps:\n  list:\n    for_each:\n      items: [${Array.from({ length: n(1_000) }, (_none, at) => at).join(', ')}]\n      as: each\n      concurrency: 10\n      steps:\n        one: { worker: CUSTOM, capabilities: [READ], instructions: "true" }\n`,
  instructions: () =>
    `${head}steps:\n  one:\n    worker: CUSTOM\n    capabilities: [READ]\n    instructions: |\n${`      : ${'x'.repeat(990)}\n`.repeat(n(1_000))}      echo end\n`,
  output: () =>
    `${head}steps:\n  one:\n    worker: CUSTOM\n    capabilities: [READ]\n    instructions: |\n      yes 0123456789 | head -c ${String(n(100_000_000))}\n`,
};

for (const [name, text] of Object.entries(cases)) {
  const wanted = process.argv.slice(3);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const root = mkdtempSync(join(tmpdir(), 'mailroom-wide-'));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'mailroom.yaml'), 'trail: off\n');
  writeFileSync(join(root, 'wide.yaml'), text());
  const started = performance.now();
  const { code, memory, status } = await runProgram(root);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const journal = sizeOf(join(root, '.mailroom/runs'));
  process.stdout.write(
    `${name}: exit ${String(code)}, ${status}, ${seconds} s, at most ${memory} MB, ${(journal / 1e6).toFixed(1)} MB in its folder\n`,
  );
  rmSync(root, { recursive: true, force: true });
}

async function runProgram(root: string): Promise<{ code: number; memory: string; status: string }> {
  const run = ['time', '-f', 'peak %M', process.execPath, program, 'run', 'wide.yaml', '--json'];
  const { exitCode, stdout, stderr } = await execa('/usr/bin/env', run, {
    cwd: root,
    stdin: 'ignore',
    reject: false,
  });
  const kilobytes = Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0);
  const status = /"status": ?"(\w+)"/.exec(stdout)?.[1] ?? stderr.slice(0, 300);
  return { code: exitCode ?? 1, memory: (kilobytes / 1_000).toFixed(0), status };
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() === true ? stat.size : 0), 0);
}
