import { describe, expect, it } from 'vitest';
import { inMemoryTrail } from '../../support/memory-trail.ts';
import { entries, entry } from './samples.ts';
import { commitsOf, filesOf, open, repository, type Commit } from './support.ts';
import type { Trail, TrailEntry } from '../../../src/git/trail.ts';

/** A trail that can be opened again, as the next start of the program does, and looked at. */
interface TrailFixture {
  open(): Trail;
  commits(): Commit[];
  files(): Map<string, string>;
}

const trailFixtures: readonly [string, () => TrailFixture][] = [
  [
    'in memory',
    () => {
      let kept: readonly TrailEntry[] = [];
      let files: ReadonlyMap<string, string> = new Map();
      return {
        open() {
          const trail = inMemoryTrail(kept);
          kept = trail.commits();
          files = trail.files();
          return trail;
        },
        commits: () => kept.map(({ subject, trailers }) => ({ subject, trailers })),
        files: () => new Map(files),
      };
    },
  ],
  [
    'in git',
    () => {
      const folder = repository();
      return {
        open: () => open(folder),
        commits: () => commitsOf(folder),
        files: () => filesOf(folder),
      };
    },
  ],
];

describe.each(trailFixtures)('a trail %s', (_, make) => {
  it('begins at 0, without a problem', async () => {
    const trail = make().open();
    await trail.settled();
    expect(await trail.position()).toBe(0);
    expect(trail.problem()).toBeNull();
  });

  it('keeps every commit, in order, with its subject and trailers', async () => {
    const fixture = make();
    const trail = fixture.open();
    const recorded = entries(1, 30);
    recorded.forEach((each) => trail.record(each));
    await trail.settled();
    expect(fixture.commits()).toEqual(recorded.map(({ subject, trailers }) => ({ subject, trailers })));
    expect(await trail.position()).toBe(30);
    expect(trail.problem()).toBeNull();
  });

  it('carries the files on from commit to commit: added, replaced, moved, removed', async () => {
    const fixture = make();
    const trail = fixture.open();
    const change = (seq: number, changes: TrailEntry['changes']) => trail.record(entry(seq, { changes }));
    change(1, [
      { path: 'agents/qa/inbox/a.md', text: 'a\n' },
      { path: 'agents/qa/inbox/b.md', text: 'b\n' },
    ]);
    change(2, [
      { path: 'agents/qa/inbox/a.md', text: null },
      { path: 'agents/qa/processed/2026-11/a.md', text: 'a\n' },
    ]);
    await trail.settled();
    change(3, [{ path: 'agents/qa/inbox/b.md', text: 'new\n' }]);
    change(4, [
      { path: 'agents/qa/processed/2026-11/a.md', text: null },
      { path: 'never/was/here.md', text: null },
    ]);
    change(5, []);
    await trail.settled();
    expect(fixture.files()).toEqual(new Map([['agents/qa/inbox/b.md', 'new\n']]));
    expect(fixture.commits()).toHaveLength(5);
  });

  it('keeps a text and a path as they are', async () => {
    const fixture = make();
    const trail = fixture.open();
    const texts = [
      '',
      'no end',
      'two\r\nlines\r\n',
      'é 👩‍💻 \u2028',
      'nul \0 data 5\ndone\n',
      '"quoted"',
      ' \n\n',
    ];
    const names = ['a', 'with blank', 'quo"te', 'back\\slash', 'ü → é', 'new\nline', "-dash'"];
    const changes = texts.map((text, index) => ({ path: `agents/${String(names[index])}/x.md`, text }));
    trail.record(entry(1, { changes }));
    await trail.settled();
    expect(fixture.files()).toEqual(new Map(changes.map(({ path, text }) => [path, text])));
  });

  it('takes an entry that is recorded twice once', async () => {
    const fixture = make();
    const trail = fixture.open();
    [entry(1), entry(2), entry(2), entry(1), entry(3)].forEach((each) => trail.record(each));
    await trail.settled();
    trail.record(entry(3));
    await trail.settled();
    expect(fixture.commits()).toHaveLength(3);
  });

  it('continues at the next start where it was', async () => {
    const fixture = make();
    const first = fixture.open();
    entries(1, 5).forEach((each) => first.record(each));
    await first.settled();
    const second = fixture.open();
    expect(await second.position()).toBe(5);
    second.record(entry(9));
    await second.settled();
    expect(await second.position()).toBe(9);
    expect(fixture.commits()).toHaveLength(6);
    expect(fixture.files().size).toBe(6);
  });

  it('takes hundreds at once, and two settle together', async () => {
    const fixture = make();
    const trail = fixture.open();
    entries(1, 500).forEach((each) => trail.record(each));
    await Promise.all([trail.settled(), trail.settled()]);
    expect(fixture.commits().map(({ subject }) => subject)).toEqual(
      entries(1, 500).map(({ subject }) => subject),
    );
  });
});
