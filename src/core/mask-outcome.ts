import type { Mask } from './mask.ts';
import type { Outcome } from './ports.ts';

/** What an agent came back with, fit to be written. Its final text may be a message: no common word is taken out of it. */
export function maskOutcome(outcome: Outcome, { text, name }: Mask): Outcome {
  if (outcome.is !== 'done')
    return { ...outcome, reason: { ...outcome.reason, text: text(outcome.reason.text) } };
  const { session, model, denials } = outcome;
  return {
    ...outcome,
    text: name(outcome.text),
    session: session && { ...session, id: name(session.id) },
    model: model && name(model),
    denials: denials.map(name),
  };
}
