import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.ts';
import { mailUser } from '../../host/slots.ts';
import { noAgents, type OtherAgents } from '../../kernel/why.ts';
import type { Slots } from '../machine/decide/context.ts';
import type { ProjectHolder } from '../../host/holder.ts';

type Noted = Pick<ProjectHolder, 'slots'> | null;

/** The slots for agents that a run has, and the agents of others that it shares them with. */
export interface RunSlots {
  readonly slots: Slots;
  readonly others: OtherAgents;
}

/** The agents of runs that take slots of the roles. `holder`: of the project; null: none. */
export function besideMail(holder: Noted): OtherAgents {
  return beside(mailUser, holder);
}

/**
 * The slots of a run: what the roles and the other runs of its process leave, else those of the
 * machine. `config` null: it is invalid, and the limit unknown.
 */
export function slotsOfRun(run: string, holder: Noted, config: Pick<Config, 'concurrency'> | null): RunSlots {
  const shared = holder?.slots ?? null;
  const isShared = shared?.uses.some(({ user }) => user === run) === true;
  const others = isShared ? beside(run, holder) : noAgents;
  const alone = config === null ? Infinity : (config.concurrency ?? availableParallelism());
  const most = isShared ? shared.most : alone;
  return { slots: { agents: most - others.agents, processes: Infinity }, others };
}

function beside(user: string, holder: Noted): OtherAgents {
  const others = (holder?.slots?.uses ?? []).filter((use) => use.user !== user && use.agents > 0);
  return {
    agents: others.reduce((sum, { agents }) => sum + agents, 0),
    first: others.find(({ first }) => first !== null)?.first ?? null,
  };
}
