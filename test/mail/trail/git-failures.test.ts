import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries, entry } from './samples.ts';
import {
  branch,
  commitsOf,
  disguiseGit,
  filesOf,
  refsOf,
  repository,
  seqsOf,
  temporaryFolder,
  trailOf,
  write,
} from './support.ts';

describe('somebody who moves the branch at the same time', () => {
  /** Moves the branch just before our own update of it, as long as `while` says. */
  function mover(whileTrue: string): string {
    return `case " $* " in *" update-ref "*) if [ ${whileTrue} ]; then
      tip=$("$GIT" rev-parse refs/heads/${branch})
      new=$(echo "Foreign $COUNT" | "$GIT" -c user.name=x -c user.email=y commit-tree -p "$tip" "$tip^{tree}")
      "$GIT" update-ref refs/heads/${branch} "$new" "$tip"
    fi ;; esac`;
  }

  it('is followed: the batch goes on top of what came first', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit(mover('"$COUNT" -le 2'));
    await trailOf(folder).append(entries(2, 4));
    expect(commitsOf(folder).map(({ subject }) => subject)).toEqual([
      entry(1).subject,
      'Foreign 1',
      'Foreign 2',
      ...entries(2, 4).map(({ subject }) => subject),
    ]);
    expect([...filesOf(folder).keys()]).toHaveLength(4);
    expect(refsOf(folder)).toHaveLength(2);
  });

  it('is not followed forever', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit(mover('"$COUNT" -gt 0'));
    await expect(trailOf(folder).append([entry(2)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: 'something else keeps moving the branch mailroom-trail',
    });
    expect(seqsOf(folder).filter((seq) => !Number.isNaN(seq))).toEqual([1]);
  });
});

describe('a git that fails', () => {
  it('leaves nothing half done, and a ref that a crash left behind is taken over', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit('case "$COUNT:$*" in 1:*update-ref*) echo "fatal: the disk is full" >&2; exit 1 ;; esac');
    await expect(trailOf(folder).append([entry(2)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: 'git update-ref failed: fatal: the disk is full',
    });
    expect(seqsOf(folder)).toEqual([1]);
    expect(refsOf(folder)).toContainEqual(expect.stringMatching(/^refs\/mailroom\//));
    await trailOf(folder).append([entry(2)]);
    expect(seqsOf(folder)).toEqual([1, 2]);
    expect(refsOf(folder)).toHaveLength(2);
  });

  it('and loses its answer: the batch is not written twice', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    disguiseGit('case "$COUNT:$*" in 1:*update-ref*) "$GIT" "$@"; exit 1 ;; esac');
    const trail = trailOf(folder);
    await trail.append(entries(2, 3));
    expect(seqsOf(folder)).toEqual([1, 2, 3]);
  });

  it('and loses its answer and its eyes: what is given again is not written twice', async () => {
    const folder = repository();
    await trailOf(folder).append([entry(1)]);
    const blind = join(temporaryFolder(), 'blind');
    disguiseGit(`case " $* " in
      *" update-ref "*) if [ "$COUNT" = 1 ]; then "$GIT" "$@"; touch '${blind}'; exit 1; fi ;;
      *" for-each-ref "*) if [ -e '${blind}' ]; then exit 1; fi ;;
    esac`);
    const trail = trailOf(folder);
    await expect(trail.append(entries(2, 3))).rejects.toMatchObject({ code: 'E_TRAIL' });
    rmSync(blind);
    expect(await trail.position()).toMatchObject({ seq: 3 });
    await trail.append(entries(2, 5));
    expect(seqsOf(folder)).toEqual([1, 2, 3, 4, 5]);
  });

  it('and continues for a controller that was killed, while the next one starts: nothing is written twice', async () => {
    const folder = repository();
    const killed = trailOf(folder);
    await killed.append(entries(1, 3));
    const next = trailOf(folder);
    expect(await next.position()).toMatchObject({ seq: 3 });
    await killed.append(entries(4, 6));
    await next.append(entries(4, 9));
    expect(seqsOf(folder)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await killed.append(entries(10, 11));
    await next.append(entries(10, 12));
    expect(seqsOf(folder).slice(9)).toEqual([10, 11, 12]);
  });

  it('and was killed while it wrote a pack: what it left is not in the way of the next attempt', async () => {
    const packsOf = (folder: string) => readdirSync(join(folder, '.git/objects/pack'));
    const [first, second] = [repository(), repository()];
    await trailOf(first).append(entries(1, 3));
    const pack = packsOf(first).find((name) => name.endsWith('.pack')) ?? '';
    const keep = pack.replace('.pack', '.keep');
    write(second, `.git/objects/pack/${keep}`, 'fast-import\n');
    await trailOf(second).append(entries(1, 3));
    expect(seqsOf(second)).toEqual([1, 2, 3]);
    expect(pack).not.toBe('');
    expect(packsOf(second)).not.toContain(pack);
  });

  it('says the reason of a failed import', async () => {
    const folder = repository();
    disguiseGit(
      'case "$*" in *fast-import*) echo "warning: x" >&2; echo "fatal: no space" >&2; exit 128 ;; esac',
    );
    await expect(trailOf(folder).append([entry(1)])).rejects.toMatchObject({
      code: 'E_TRAIL',
      message: 'git fast-import failed: fatal: no space',
    });
  });
});
