import { expect, it } from 'vitest';
import { movedPath, movedText, rootsOf } from '../../../src/extensions/workers/places.ts';

const moved = [
  { from: '/home/ada/project', to: '/srv/worker' },
  { from: '/home/ada/project/work', to: '/srv/worker/tree' },
];

it('moves a path by the deepest folder that it lies in', () => {
  expect(movedPath('/home/ada/project/work/a.txt', moved)).toBe('/srv/worker/tree/a.txt');
  expect(movedPath('/home/ada/project/b.txt', moved)).toBe('/srv/worker/b.txt');
  expect(movedPath('/home/ada/project', moved)).toBe('/srv/worker');
  expect(movedPath('/home/ada/project-2/b.txt', moved)).toBeNull();
});

it('moves the paths in a text, and no longer names that begin like them', () => {
  const text = 'Read `/home/ada/project/work/a.txt`, /home/ada/project, not /home/ada/project-2.';
  expect(movedText(text, moved)).toBe('Read `/srv/worker/tree/a.txt`, /srv/worker, not /home/ada/project-2.');
});

it('lets files be written in known folders, and elsewhere only in their own', () => {
  const paths = ['/srv/worker/tree/a.txt', '/tmp/turn/values.json'];
  expect(rootsOf(paths, '/srv/worker')).toEqual(['/srv/worker', '/tmp/turn']);
});
