import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config/config.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { takeApiPlace } from '../../src/host/api-place.ts';
import { agentContainment } from '../../src/host/containment.ts';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { start, temporaryFolder, until } from '../process/support.ts';

const keys = '.mailroom/api/keys.json';

function newDisk(): RealDisk {
  return new RealDisk(realpathSync(temporaryFolder()));
}

describe('the folder of the API', () => {
  it('gets a key of its own that only its owner can read, and keeps it', async () => {
    const disk = newDisk();
    const place = await takeApiPlace(disk, 'ada');
    const [first] = place.keys();
    expect(first).toMatchObject({ name: 'ada', access: 'write' });
    expect(first?.key).toMatch(/^[\w-]{43}$/);
    expect(lstatSync(join(disk.root, keys)).mode & 0o777).toBe(0o600);
    await expect(takeApiPlace(disk, 'eve')).rejects.toThrow('serves this project already');
    await place.close();
    const again = await takeApiPlace(disk, 'eve');
    expect(again.keys()).toEqual([first]);
    await again.close();
  });

  it.each<[string, (file: string) => void, string]>([
    ['can be read by others', (file) => chmodSync(file, 0o640), 'can be read or written by others'],
    ['is not JSON', (file) => writeFileSync(file, '{'), 'holds no keys: it is not JSON'],
    ['has a short key', (file) => writeFileSync(file, key('a', 'short')), '`keys.0.key` must be at least 32'],
    ['lists nobody', (file) => writeFileSync(file, '{"keys":[]}'), '`keys` must be a list with a key'],
  ])('is refused where the file %s', async (_what, change, message) => {
    const disk = newDisk();
    await (await takeApiPlace(disk, 'ada')).close();
    change(join(disk.root, keys));
    await expect(takeApiPlace(disk, 'ada')).rejects.toThrow(message);
  });

  it('counts a key that is removed at once, and one that is added or changed from the next start', async () => {
    const disk = newDisk();
    const one = { name: 'one', access: 'write', key: 'k'.repeat(32) };
    const two = { name: 'two', access: 'read', key: 'l'.repeat(32) };
    const write = (...all: object[]) => disk.write(keys, JSON.stringify({ keys: all }), { mode: 0o600 });
    write(one, two);
    const place = await takeApiPlace(disk, 'ada');
    const added = { ...one, name: 'eve', key: 'm'.repeat(32) };
    for (const changed of [{ ...two, access: 'write' }, { ...two, name: 'one' }, added]) {
      write(one, changed);
      expect(place.keys()).toEqual([one]);
    }
    write(two);
    expect(place.keys()).toEqual([two]);
    await place.close();
    write(one, added);
    const again = await takeApiPlace(disk, 'ada');
    expect(again.keys()).toEqual([one, added]);
    await again.close();
  });

  it('is no link, wherever it leads', async () => {
    const disk = newDisk();
    const elsewhere = temporaryFolder();
    mkdirSync(join(disk.root, '.mailroom'));
    symlinkSync(elsewhere, join(disk.root, '.mailroom/api'));
    await (await takeApiPlace(disk, 'ada')).close();
    expect(existsSync(join(elsewhere, 'keys.json'))).toBe(false);
    expect(lstatSync(join(disk.root, '.mailroom/api')).isDirectory()).toBe(true);
  });

  it('is empty in every sandbox, also in one that was there before it', async () => {
    const { bubblewrap } = await probeContainment();
    const disk = newDisk();
    const contain = await agentContainment(disk, defaultConfig);
    const nothing = { provider: 'claude', argv: ['sh'], writable: [], owed: [], guarded: [], network: true };
    const env = { PATH: process.env['PATH']! };
    const script =
      'until [ -e .mailroom/go ]; do sleep 0.05; done; ls .mailroom/api; cat .mailroom/api/*; echo looked';
    const containment = contain({ ...nothing, env, workspace: disk.root, capabilities: null });
    const agent = start(['sh', '-c', script], { containment, cwd: disk.root });
    const place = await takeApiPlace(disk, 'ada');
    disk.write('.mailroom/go', '');
    await until('it has looked', () => agent.seen.stdout.includes('looked'));
    expect(agent.seen.stdout).toBe(bubblewrap.works ? 'looked\n' : agent.seen.stdout);
    expect(agent.seen.stdout.includes(place.keys()[0]!.key)).toBe(!bubblewrap.works);
    await place.close();
  });
});

function key(name: string, text: string): string {
  return JSON.stringify({ keys: [{ name, access: 'read', key: text }] });
}
