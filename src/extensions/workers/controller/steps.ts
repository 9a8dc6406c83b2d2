import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import metadata from '../../../../package.json' with { type: 'json' };
import type { OtherHosts } from '../../../project/definition/hooks.ts';
import type { Disk } from '../../../disk/disk.ts';
import { QueuedAgents } from './queued-agents.ts';
import { QueuedNotes } from './queued-notes.ts';
import { keptFor, runIn } from '../remote-turn.ts';
import { GitTravel } from '../travel.ts';
import { runFolder } from '../../../host/run-mail.ts';
import type { JobName } from '../queue/channel.ts';
import { isOver } from '../../../workflow/files/ended.ts';
import { runSecrets } from '../../../workflow/host/secrets.ts';
import { workersAccess } from '../settings.ts';

/** The jobs of all runs; those of turns lie elsewhere. */
const queuedByRuns = '.mailroom/queued-steps';

/** How long a run that has ended waits for the queue to be cleared, in milliseconds. */
const patience = 5_000;

/** The steps of a run on workers of other hosts. */
export const openSteps: OtherHosts['steps'] = async (project, { run, definition }, { events, wake }) => {
  const { disk } = project;
  const { url, git, isOrigin, credentials, lease } = await workersAccess(project, 'controller');
  const { openQueue } = await import('../queue/bull.ts');
  const options = {
    credentials,
    version: metadata.version,
    notes: new RunNotes(disk, run),
    travel: new GitTravel({ project: disk.root, git, isOrigin, secrets: runSecrets(disk, definition) }),
    patience: lease,
    newId: randomUUID,
    now: Date.now,
    elapsed: () => performance.now(),
  };
  const agents = new QueuedAgents(options, events, (onChange) =>
    openQueue({
      url,
      name: credentials.project,
      roles: [],
      lease: keptFor(lease),
      onChange: () => {
        onChange();
        wake();
      },
    }),
  );
  return {
    agents,
    close: async (over) => {
      if (over) agents.clean(new Set());
      await Promise.race([agents.cleared(), passed(patience)]);
      await agents.close();
    },
  };
};

/** The jobs of a run, and those of ended runs that could not be removed then. */
class RunNotes extends QueuedNotes {
  readonly #disk: Disk;
  readonly #run: string;

  constructor(disk: Disk, run: string) {
    super(disk, queuedByRuns);
    this.#disk = disk;
    this.#run = run;
  }

  override all(): JobName[] {
    return super.all().filter(({ id }) => runIn(id) === this.#run || this.#isOver(runIn(id)));
  }

  #isOver(run: string): boolean {
    return this.#disk.look(runFolder(run)) === null || isOver(this.#disk, run) === true;
  }
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
