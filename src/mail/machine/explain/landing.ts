import { because, through } from '../../../kernel/why.ts';
import type { Protocol } from '../../format/protocol.ts';
import { askedReason } from '../landing.ts';
import { landingSteps } from '../rules/landing.ts';
import type { MailState } from '../state.ts';
import type { Landing } from '../landing.ts';
import type { MailWhy } from './words.ts';

/** Why the work of a turn has not landed yet. `paused`: what holds its turn; null: nothing. */
export function landingWhy(
  state: MailState,
  protocol: Protocol,
  landing: Landing,
  paused: MailWhy | null,
): MailWhy {
  const { turn, role, since, phase, blocked, lands } = landing;
  const cause = { record: turn, at: since };
  const work = `the work of ${role} in turn ${turn}`;
  if (phase.is === 'asked') {
    const why = askedReason(landing) ?? '';
    const reason = `${work} waits until a person lets it land on \`${lands.branch}\`: ${why}`;
    return because('waiting_for_approval', reason, { cause, act: { do: 'approve', turn } });
  }
  if (blocked !== null)
    return because('landing_blocked', `${work} cannot land on \`${lands.branch}\`: ${blocked}`, { cause });
  const steps = landingSteps(state, protocol);
  if (phase.is === 'landed' || steps.some((step) => step.landing === landing))
    return because('landing', `${work} lands on \`${lands.branch}\``, { cause });
  if (paused !== null) return paused;
  const first = steps.find((step) => step.landing.lands.branch === lands.branch)?.landing;
  const others = [...state.landings.values()].filter((each) => each.lands.branch === lands.branch);
  const before = others.indexOf(landing);
  const text = `${String(before)} before ${work} land on \`${lands.branch}\``;
  return through(
    'landing_queued',
    before === 1 ? `one other lands on \`${lands.branch}\` before ${work}` : text,
    first === undefined || first === landing ? null : landingWhy(state, protocol, first, null),
  );
}
