import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { openPlaces } from '../../src/process/sandbox/sandbox-places.ts';
import { sandboxFor } from '../../src/process/sandbox/sandbox.ts';
import type { AccessRequest } from '../../src/process/types.ts';
import { start, temporaryFolder } from './support.ts';

const { bubblewrap } = await probeContainment();

export type Rights = NonNullable<AccessRequest['capabilities']>;

export const edits: Rights = ['READ', 'EDIT'];
export const all: Rights = ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'];

/** A project with rules, mail and a repository, as far as they are not left out. */
export class World {
  /** The folder around the project. */
  readonly around = realpathSync(temporaryFolder());
  readonly root = join(this.around, 'project');

  constructor(...without: readonly string[]) {
    mkdirSync(this.root);
    if (!without.includes('.git')) this.git('init', '-q');
    for (const path of ['mailroom.yaml', 'protocols/team.yaml', 'agents/b/role.md', 'workflows/ci.yaml'])
      if (!without.some((name) => path.startsWith(name))) this.write(path, 'true\n');
    for (const path of ['agents/b/inbox', '.mailroom/control', '.mailroom/journal', 'src']) {
      if (!without.some((name) => path.startsWith(name)))
        mkdirSync(join(this.root, path), { recursive: true });
    }
  }

  /** The branches that only a person moves. */
  readonly protected: string[] = [];

  git(...args: readonly string[]): void {
    const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
    execFileSync('git', [...settings, ...args], { cwd: this.root, stdio: 'ignore' });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    symlinkSync(target, join(this.root, path));
  }

  reach(capabilities: Rights, more: Partial<AccessRequest> = {}): AccessRequest {
    const nothing = { provider: null, argv: ['sh'], writable: [], owed: [], guarded: [] };
    const env = { PATH: process.env['PATH']! };
    return { ...nothing, env, workspace: this.root, capabilities, network: true, ...more };
  }

  sandbox(capabilities: Rights, more: Partial<AccessRequest> = {}) {
    return sandboxFor(this.reach(capabilities, more), {
      project: this.root,
      nests: false,
      isProtected: (branch) => this.protected.includes(branch),
    });
  }

  /** What a script prints in the sandbox, with all that keeps its places. */
  async runs(capabilities: Rights, script: string, more: Partial<AccessRequest> = {}): Promise<string> {
    const { owed } = this.reach(capabilities, more);
    const containment = this.sandbox(capabilities, more);
    const places = openPlaces(containment, { project: this.root, kept: [], owed });
    const cwd = more.workspace ?? this.root;
    const env = more.env ?? { PATH: process.env['PATH']! };
    const result = await start(['sh', '-c', script], { containment, cwd, env }).exited;
    places.close();
    return result.stdoutTail;
  }
}

/** Tries to write or make something, in all ways that a shell has, and says what could be done. */
export const tries = (path: string) =>
  `{ echo x >> ${path} || mkdir ${path} || { mv ${path} ${path}.old && echo x > ${path}; } || { rm -rf ${path} && echo x > ${path}; } ; } 2>/dev/null && echo 'wrote ${path}';`;

/** What a script prints where there is a sandbox. */
export const inSandbox = (text: string) => (bubblewrap.works ? text : '');
