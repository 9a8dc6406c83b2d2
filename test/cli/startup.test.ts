import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';

/** What a file imports at once, when it is loaded: no types, and nothing that is imported later. */
function importsOf(url: URL): string[] {
  const file = ts.createSourceFile(url.pathname, readFileSync(url, 'utf8'), ts.ScriptTarget.ES2023);
  return file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : undefined;
    const isType = ts.isExportDeclaration(statement)
      ? statement.isTypeOnly
      : clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const { moduleSpecifier } = statement;
    return !isType && moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

/** Every package that is loaded with a file, and every file of the project. */
function loadedWith(entry: URL): { packages: Set<string>; files: Set<string> } {
  const packages = new Set<string>();
  const files = new Set<string>();
  const next = [entry];
  for (let url = next.pop(); url !== undefined; url = next.pop()) {
    if (files.has(url.href)) continue;
    files.add(url.href);
    for (const name of importsOf(url)) {
      if (name.startsWith('.')) next.push(new URL(name, url));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  return { packages, files };
}

describe('what the program loads before it knows the command', () => {
  const { packages, files } = loadedWith(new URL('../../src/main.ts', import.meta.url));
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const loaded = [...files].map((href) => fileURLToPath(href).slice(root.length));

  it('is no package but these, so that --help is quick', () => {
    expect([...packages].toSorted()).toEqual(['commander', 'picocolors']);
  });

  it('is what commands look like, and nothing of what they do', () => {
    expect(loaded).toContain('src/cli/commands/mail.ts');
    const others = loaded.filter(
      (file) =>
        !/^src\/cli\/(?:commands\/)?[\w-]+\.ts$|^src\/extensions\/(?:list|[\w-]+\/index)\.ts$/.test(file),
    );
    // The help of --at says what a moment is.
    const momentHelp = ['src/kernel/duration.ts', 'src/mail/questions/moment.ts'];
    // Which faults of its output the terminal waits out.
    const faults = ['contained', 'errors', 'own', 'passing'].map((name) => `src/kernel/${name}.ts`);
    expect(others.toSorted()).toEqual(['package.json', 'src/main.ts', ...faults, ...momentHelp].toSorted());
  });
});

describe('bin/mailroom', () => {
  const start = (version: string) => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const program = fileURLToPath(new URL('../../bin/mailroom', import.meta.url));
    const argv = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--version'];
    return spawnSync(process.execPath, argv, { encoding: 'utf8' });
  };

  it.each(['18.20.4', '20.18.3'])('says which Node it needs on Node %s', (version) => {
    const { status, stderr } = start(version);
    expect(status).toBe(1);
    expect(stderr).toBe(`mailroom needs Node 20.19 or newer; this is Node ${version}\n`);
  });

  it.each(['20.19.0', '22.1.0'])('starts on Node %s', (version) => {
    expect(start(version)).toMatchObject({ status: 0, stderr: '' });
  });
});

it.each([[], ['help'], ['help', 'up'], ['up', '--help'], ['--help'], ['-h'], ['version'], ['-v'], ['-V']])(
  'the built program answers `mailroom %s %s`',
  (...argv) => {
    const program = fileURLToPath(new URL('../../bin/mailroom', import.meta.url));
    const { status, stdout, stderr } = spawnSync(program, argv, { encoding: 'utf8', cwd: '/' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^(?:Usage: mailroom |\d+\.\d+\.\d+\n)/);
  },
);

describe('what answers first for the tools of a turn', () => {
  it('loads no package, and of the project only how JSON is read', () => {
    const { packages, files } = loadedWith(new URL('../../src/server/mcp/at-once.ts', import.meta.url));
    expect([...packages]).toEqual([]);
    const others = [...files].filter(
      (href) => !/\/(?:package\.json|src\/(?:kernel|server\/mcp)\/[\w.-]+)$/.test(href),
    );
    expect(others).toEqual([]);
  });
});

describe('what continues with a run', () => {
  it('loads no package but these: every process that it starts copies what it has loaded', () => {
    const { packages } = loadedWith(new URL('../../src/workflow/runs/begin.ts', import.meta.url));
    expect([...packages].toSorted()).toEqual(['picomatch', 're2js', 'uuid', 'zod']);
  });
});

describe('what a run loads of Node and of the parts that are files of their own', () => {
  it('is not what it does not use', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailroom-startup-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const workflow = `name: one\nversion: '1'\ntimeout: 1m\nsteps: { one: { command: ['true'] } }\n`;
    writeFileSync(join(folder, 'mailroom.yaml'), 'trail: off\n');
    writeFileSync(join(folder, 'one.yaml'), workflow);
    const list = `process.once('exit', () => {
      const parts = Object.keys(require.cache).filter((file) => file.endsWith('.br'));
      require('node:fs').writeFileSync('loaded.json', JSON.stringify({ parts, modules: process.moduleLoadList }));
    });`;
    writeFileSync(join(folder, 'list.cjs'), list);
    const program = fileURLToPath(new URL('../../bin/mailroom', import.meta.url));
    const argv = ['--require', './list.cjs', program, 'run', 'one.yaml'];
    const { status } = spawnSync(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    expect(status).toBe(0);
    const { parts, modules } = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as {
      readonly parts: string[];
      readonly modules: string[];
    };
    expect(modules).toContain('NativeModule child_process');
    const slow = ['internal/crypto/webcrypto', 'internal/fs/streams'];
    expect(slow.filter((name) => modules.includes(`NativeModule ${name}`))).toEqual([]);
    expect(parts).toEqual([]);
  });
});

describe('zod', () => {
  it('is imported as a whole: by name, a build would hold all its locales, and every command would load them', () => {
    const src = new URL('../../src/', import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const imports = files.filter((file) => /from 'zod'/.test(readFileSync(new URL(file, src), 'utf8')));
    const byName = imports.filter((file) =>
      /^import \{.*from 'zod'/m.test(readFileSync(new URL(file, src), 'utf8')),
    );
    expect(imports).toContain('yaml/schema.ts');
    expect(byName).toEqual([]);
  });
});
