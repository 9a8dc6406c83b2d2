import { mkdtempSync, readFileSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KnownProjects } from '../../src/project/known-projects.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailroom-home-'));
});
afterEach(() => {
  chmodSync(home, 0o700);
  rmSync(home, { recursive: true });
});

it('lies in XDG_CONFIG_HOME, else in .config of the home folder', () => {
  expect(new KnownProjects({ XDG_CONFIG_HOME: '/etc/x', HOME: home }).file).toBe('/etc/x/mailroom/projects');
  for (const relative of ['', 'relative'])
    expect(new KnownProjects({ XDG_CONFIG_HOME: relative, HOME: home }).file).toBe(
      join(home, '.config/mailroom/projects'),
    );
  expect(new KnownProjects({}).file).toBeNull();
  expect(new KnownProjects({}).list()).toEqual([]);
});

it('has each project once, in the order in which they were added, and reads what a person wrote', () => {
  const projects = new KnownProjects({ HOME: home });
  expect(projects.list()).toEqual([]);
  for (const root of ['/b', '/a', '/b', '/c\nd']) projects.add(root);
  expect(projects.list()).toEqual(['/b', '/a']);
  writeFileSync(projects.file!, '# mine\n/b\n  /a  \nrelative\n/b\n');
  expect(projects.list()).toEqual(['/b', '/a']);
  projects.drop(['/b', '/other']);
  expect(readFileSync(projects.file!, 'utf8')).toBe('/a\n');
});
