import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Whether node's resolution from the package at `path` finds `name` among the locked packages. */
function resolves(packages: Readonly<Record<string, Locked>>, path: string, name: string): boolean {
  const above = path.lastIndexOf('/node_modules/');
  if (`${path}${path === '' ? '' : '/'}node_modules/${name}` in packages) return true;
  return path !== '' && resolves(packages, above < 0 ? '' : path.slice(0, above), name);
}

describe('lock files', () => {
  // npm leaves an optional package out of the lock if its registry did not have it on that day, and
  // then refuses to `npm ci`. What is built for other systems is such a package.
  it.each(['.', 'site', 'test/real-clis'])('%s: every optional package is locked', (folder) => {
    const text = readFileSync(join(repository, folder, 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
    const missing = Object.entries(packages).flatMap(([path, locked]) =>
      Object.keys(locked.optionalDependencies ?? {})
        .filter((name) => !resolves(packages, path, name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(Object.keys(packages).length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});
