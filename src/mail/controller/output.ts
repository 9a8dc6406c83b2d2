import { agentText, type RunningOutput } from '../../host/latest-output.ts';
import { endOfId } from '../../kernel/ids.ts';
import { shellWord } from '../../kernel/quoting.ts';
import type { TurnFolders } from '../mailboxes/turn-folders.ts';
import type { MailState } from '../machine/state.ts';
import type { Provider } from '../../providers/provider.ts';
import { findStep } from '../../workflow/machine/scope.ts';
import type { RunController } from '../../project/definition/contracts.ts';

/** The running turns, in the order of their ids, each with at most this many lines. */
export function turnsOutput(
  { turns }: MailState,
  folders: TurnFolders,
  providers: ReadonlyMap<string, Provider>,
  most: number,
): RunningOutput[] {
  return [...turns.values()].flatMap((turn) => {
    const { id, role, phase, provider } = turn;
    if (phase.is !== 'active') return [];
    const lines = folders.latest(turn, most, agentText(providers.get(provider)));
    return [{ name: `${role} ${id}`, lines, command: `mailroom show ${id}` }];
  });
}

/**
 * The running steps of a run, each with at most this many lines. What a role prints for a step is
 * the output of its turn.
 */
export function stepsOutput({ run, state, rules, latest }: RunController, most: number): RunningOutput[] {
  return [...state.active].flatMap((path) => {
    const phase = state.steps.get(path)?.phase.is;
    if (phase !== 'running' && phase !== 'checking') return [];
    const end = endOfId(run);
    const name = `${end}/${path}`;
    const work = findStep(state, rules, path)?.rule.step.work;
    if (work?.kind === 'role' && phase === 'running')
      return [{ name, lines: ['a role performs it, in a turn of its own'], command: 'mailroom status' }];
    const command = `mailroom logs ${end} --follow --step ${shellWord(path)}`;
    return [{ name, lines: latest(path, most), command }];
  });
}
