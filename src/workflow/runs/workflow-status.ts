import { readHolder } from '../../host/holder.ts';
import { heldReasons } from '../../kernel/why.ts';
import { runHolder } from '../files/layout.ts';
import { refusedFolder } from '../../host/refused.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import { slotsOfRun } from './slots.ts';
import { runStatus, triggerStatus, waitingStatus, type WorkflowStatus } from './run-status.ts';
import type { Disk } from '../../disk/disk.ts';
import { pendingCommands } from '../host/commands.ts';
import { hostedRuns } from '../host/hosted-runs.ts';
import { isAlive } from '../host/locks.ts';
import type { FoldedRuns } from './folded-runs.ts';
import { isOver } from '../files/ended.ts';
import { listRuns, runsProblem } from '../files/run-folders.ts';
import { rolesOnDisk } from '../../mail/mailboxes/mail-files.ts';
import { readTriggers } from '../triggers/memory-files.ts';
import { describeChange } from '../../project/definition/changed-by.ts';
import { saidTo, unconfirmed } from '../../project/definition/confirmed.ts';
import { unusedNotices, unusedRules } from '../../project/definition/rules.ts';
import type { Settings } from '../../project/definition/definition.ts';
import { triggeredWorkflows } from '../../project/definition/triggered.ts';
import type { RunStatusDocument } from '../../documents/status.ts';

/**
 * The runs that have not ended and the triggers of a project. `settings` null: they are invalid, so
 * no workflow can be read.
 */
export async function workflowStatus(
  disk: Disk,
  settings: Settings | null,
  folded: FoldedRuns,
  holder: ProjectHolder | null,
): Promise<WorkflowStatus> {
  const runs: RunStatusDocument[] = [];
  const place = runsProblem(disk);
  const unreadable = place === null ? [] : [`${place}: the next run moves it to ${refusedFolder}/`];
  const waiting = hostedRuns(disk).filter(({ waits }) => waits !== null);
  for (const each of waiting) runs.push(waitingStatus(each));
  const isWaiting = new Set(waiting.map(({ card }) => card.run));
  for (const card of listRuns(disk)) {
    try {
      if (isWaiting.has(card.run)) continue;
      // Most have ended, and need not be read.
      if (isOver(disk, card.run) === true) continue;
      const open = folded.open(card.run);
      if (open === null) continue;
      const situation = {
        alive: await isAlive(disk, card.run),
        pending: pendingCommands(disk, card.run),
        slots: slotsOfRun(card.run, holder, settings?.config ?? null),
        held: heldReasons(readHolder(disk, runHolder(card.run))?.held ?? []),
      };
      runs.push(runStatus(open.state, open.rules, card, situation));
    } catch (error) {
      // An unreadable run does not hide the others.
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      unreadable.push(error.message);
    }
  }
  const roles = settings?.protocol?.roles.keys() ?? rolesOnDisk(disk);
  const unused = holder?.triggers !== true ? [] : await unusedNotices(disk, unusedRules(disk, roles));
  if (settings === null) return { runs, triggers: [], problems: [...unreadable, ...unused] };
  const { workflows, problems, read } = await triggeredWorkflows(disk, settings);
  const changes = new Map(
    holder === null ? [] : unconfirmed(disk, read).map((each) => [each.key, each] as const),
  );
  const now = Date.now();
  const triggers = workflows.map(async ({ file, definition }) => {
    const memory = readTriggers(disk, file);
    const change = changes.get(file);
    const changed = change ? await describeChange(disk, change.files, change.fingerprint) : null;
    return (definition?.triggers ?? []).map((trigger) =>
      triggerStatus(file, trigger, { memory, holder, changed, said: (start) => saidTo(disk, start), now }),
    );
  });
  return {
    runs,
    triggers: (await Promise.all(triggers)).flat(),
    problems: [...unreadable, ...problems, ...unused],
  };
}
