import { readHolder } from '../../host/holder.ts';
import { heldReasons, type HeldReasons, type HeldWork } from '../../kernel/why.ts';
import type { Protocol } from '../format/protocol.ts';
import { MailExplainer } from '../machine/explain/explain.ts';
import { owedSteps } from '../machine/step.ts';
import type { MailState } from '../machine/state.ts';
import { runHolder } from '../../workflow/files/layout.ts';
import type { Project } from '../../project/project.ts';
import { shownTurn } from './status.ts';
import { seenWorkers } from './seen-workers.ts';
import { besideMail } from '../../workflow/runs/slots.ts';

/** Explains the mail of a project with what its controller has noted. */
export function mailExplainer(
  project: Project,
  state: MailState,
  protocol: Protocol,
  now: number,
): MailExplainer {
  const holder = project.holder();
  const held = heldReasons(holder?.held ?? interrupted(state));
  return new MailExplainer(state, protocol, now, besideMail(holder), seenWorkers(project), held);
}

/** Why the turns that ran under the last controller do not move. */
function interrupted(state: MailState): HeldWork[] {
  return [...state.turns.values()].flatMap((turn) => {
    const { id, role, state: stands } = shownTurn(null, state, turn);
    if (stands !== 'interrupted' && stands !== 'left') return [];
    const what = stands === 'left' ? 'was left running' : 'is interrupted';
    return [{ work: id, problem: `turn ${id} of ${role} ${what}, and the next one starts it again` }];
  });
}

/** The steps of a run that wait for the machine, as its process has noted, or that of its roles. */
export function heldSteps(project: Project, run: string): HeldReasons {
  const turns = project.holder()?.held ?? [];
  const state = turns.length === 0 ? null : project.journal.state();
  const ofRoles = turns.flatMap(({ work: turn, problem }): HeldWork[] => {
    const steps = state === null ? [] : owedSteps(state, turn).map(({ fields }) => fields);
    return steps.flatMap(({ run: of, step }) =>
      of === run && typeof step === 'string' ? [{ work: step, problem }] : [],
    );
  });
  return heldReasons([...ofRoles, ...(readHolder(project.disk, runHolder(run))?.held ?? [])]);
}
