import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { listRuns } from '../../../src/workflow/files/run-folders.ts';
import type { Matrix } from '../killing/matrix.ts';
import type { Place } from '../killing/place.ts';
import { checkPlace, eventsOf } from './check.ts';
import { checkRolledBack } from './check-rollback.ts';
import { effects } from './effects.ts';
import { child, kinds, workflowOf, type RunKind } from './kinds.ts';
import { protocol, scripts, settings } from './work.ts';

/** The matrix of runs: a run is started, and gone on with once there is one. */
export const runs: Matrix<RunKind> = {
  effects,
  kinds,
  found: (kind, place) => {
    place.write('mailroom.yaml', settings(place.containment === 'bubblewrap'));
    if (kind.mail) place.write('protocols/team.yaml', protocol);
    for (const [name, text] of Object.entries(scripts)) place.write(name, text);
    chmodSync(join(place.root, 'bin/claude'), 0o755);
    place.write('child.yaml', child);
    if (kind.rolledBack === undefined) return;
    for (const [path, text] of Object.entries(kind.rolledBack.committed)) place.write(path, text);
    place.git('init', '-q');
    place.git('add', '-A');
    place.git('commit', '-qm', 'Begin');
  },
  plant: (kind, place) => {
    place.write('work.yaml', workflowOf(kind));
    for (const [path, text] of Object.entries(kind.before ?? {})) place.write(path, text);
  },
  argv: (place) => {
    const run = runOf(place);
    return run === null ? ['run', 'work.yaml', '--json'] : ['resume', run, '--json'];
  },
  settle: async (kind, place, run) => {
    const begun = runOf(place);
    const before = begun === null ? [] : eventsOf(place, begun);
    const { stdout, stderr } = await run();
    const over =
      new RegExp(`"status": ?"${kind.status}"`).test(stdout) ||
      // Nothing was left to be done.
      (kind.rolledBack !== undefined && stdout.includes('this run was rolled back'));
    const problems = over
      ? []
      : [`it does not end ${kind.status}: ${stdout.slice(0, 500)}${stderr.slice(0, 500)}`];
    const id = runOf(place);
    if (id === null) return [...problems, 'there is no run'];
    return [...problems, ...checkPlace(kind, place, id, before), ...checkRolledBack(kind, place, id)];
  },
};

function runOf(place: Place): string | null {
  return listRuns(new RealDisk(place.root))[0]?.run ?? null;
}
