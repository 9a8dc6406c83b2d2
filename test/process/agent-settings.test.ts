import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuseShunned, settingsAround } from '../../src/process/sandbox/agent-settings.ts';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { openPlaces } from '../../src/process/sandbox/sandbox-places.ts';
import { sandboxFor } from '../../src/process/sandbox/sandbox.ts';
import type { AgentAccess } from '../../src/process/types.ts';
import { start, temporaryFolder } from './support.ts';

const { bubblewrap } = await probeContainment();

/** A project, and the home of a person with the folder of a CLI. */
class World {
  readonly root = realpathSync(temporaryFolder());
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');
  readonly own = join(this.home, '.agent');

  constructor() {
    for (const folder of [this.project, join(this.own, 'sessions')]) mkdirSync(folder, { recursive: true });
  }

  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  sandbox(capabilities: readonly ('READ' | 'EDIT')[], agent: Partial<AgentAccess> = {}) {
    const reach = {
      provider: 'agent',
      argv: ['sh'],
      env: { PATH: process.env['PATH']!, HOME: this.home },
      workspace: this.project,
      capabilities,
      network: true,
      writable: [this.own],
      owed: [],
      guarded: [],
      agent: { settings: [join(this.own, 'settings.json')], shuns: [], mayConfigure: false, ...agent },
    };
    return sandboxFor(reach, { project: this.project, nests: false });
  }

  /** What a script prints in the sandbox. */
  async runs(script: string, capabilities: readonly ('READ' | 'EDIT')[] = ['READ', 'EDIT']): Promise<string> {
    const containment = this.sandbox(capabilities);
    const places = openPlaces(containment, { project: this.project, kept: [this.own], owed: [] });
    const result = await start(['sh', '-c', script], { containment, cwd: this.project }).exited;
    places.close();
    return result.stdoutTail;
  }
}

/** Without a sandbox here nothing is started in one. */
const inSandbox = (text: string) => (bubblewrap.works ? text : '');

describe('settings of a person in the sandbox', () => {
  it('that are links are read, and neither they nor what they lead to can be replaced', async () => {
    const world = new World();
    const target = world.write('dotfiles/settings.json', 'mine\n');
    const link = join(world.own, 'settings.json');
    symlinkSync(target, link);
    world.write('home/.agent/login.json', 'old\n');
    const script = [
      `cat ${link}`,
      `echo x >> ${link} || rm -f ${link} || ln -sf /x ${link} || mv ${world.own} ${world.own}-old`,
      `echo new > ${world.own}/login.json && touch ${world.own}/sessions/one && echo worked`,
    ].join('; ');
    expect(await world.runs(`{ ${script}; } 2>/dev/null`)).toBe(inSandbox('mine\nworked\n'));
    expect([readlinkSync(link), readFileSync(target, 'utf8')]).toEqual([target, 'mine\n']);
    expect(existsSync(join(world.own, 'sessions/one'))).toBe(bubblewrap.works);
  });

  it('that are not there yet are made empty, and everything else in their folder can be written', async () => {
    const world = new World();
    const file = join(world.own, 'settings.json');
    expect(
      await world.runs(`{ echo x >> ${file} || touch ${world.own}/new && echo worked; } 2>/dev/null`),
    ).toBe(inSandbox('worked\n'));
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
  });
});

describe('settings of a workspace that are links', () => {
  it.each(['.claude', '.codex', '.gemini', '.opencode', '.pi', '.mcp.json', 'opencode.json'])(
    'refuse an agent that could replace them: %s',
    (name) => {
      const world = new World();
      symlinkSync(world.home, join(world.project, name));
      const path = join(world.project, name);
      expect(() => world.sandbox(['READ', 'EDIT'])).toThrowError(
        expect.objectContaining({
          code: 'E_PATH',
          message: `${path} is a link to ${world.home}, and who works beside it could replace it`,
        }),
      );
      expect(() => world.sandbox(['READ', 'EDIT'], { mayConfigure: true })).not.toThrow();
    },
  );

  it('show an agent that only reads nothing of what they lead to', () => {
    const world = new World();
    world.write('secret/key', 'x');
    symlinkSync(join(world.root, 'secret'), join(world.project, '.claude'));
    const { readable, held } = world.sandbox(['READ']);
    expect([...readable, ...held].filter((path) => path.includes('secret'))).toEqual([]);
  });

  it('are allowed for variables, which people often share between checkouts', () => {
    const world = new World();
    symlinkSync(world.write('shared/.env', ''), join(world.project, '.env'));
    expect(() => world.sandbox(['READ', 'EDIT'])).not.toThrow();
  });
});

describe('settings around a workspace', () => {
  const names = ['.agent'];

  it('are refused without a sandbox where a CLI runs plug-ins that they may name', () => {
    const world = new World();
    const at = { workspace: world.project, env: { HOME: world.home } };
    const begin = () => refuseShunned('opencode', { argv: [], shuns: names } as never, at);
    expect(begin).not.toThrow();
    const found = dirname(world.write('project/.agent/x', ''));
    expect(begin).toThrow(`opencode runs plug-ins that ${found} may hold or name`);
  });

  it('count up to the root outside of repositories, but for the home of the person', () => {
    const world = new World();
    const [above] = [world.write('.agent/x', ''), world.write('home/.agent/x', '')].map(dirname);
    const workspace = join(world.home, 'work/one');
    expect(settingsAround(workspace, world.home, names)).toEqual([above]);
  });

  it('count up to the top of a repository, and not above it', () => {
    const world = new World();
    world.write('.agent/x', '');
    world.write('project/.git/HEAD', 'ref: refs/heads/main\n');
    const top = dirname(world.write('project/.agent/x', ''));
    const inner = dirname(world.write('project/a/b/.agent/x', ''));
    expect(settingsAround(join(world.project, 'a/b'), world.home, names)).toEqual([inner, top]);
  });
});
