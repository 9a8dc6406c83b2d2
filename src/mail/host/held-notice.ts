import { heldBecause } from '../../host/host-waits.ts';
import type { MailLedger } from './ledger.ts';
import { notifyOnce } from './refused-files.ts';

/** Notifies `user` that the machine cannot start work, at most once an hour. */
export function notifyHeld(ledger: MailLedger, problem: string): void {
  // A notice needs room on the disk of the project itself.
  if (problem.includes('.mailroom/')) return;
  const words = heldBecause(problem);
  const hour = String(Math.floor(ledger.now() / 3_600_000));
  notifyOnce(ledger, ['host', hour], 'This machine cannot start work', [
    `${words[0]!.toUpperCase()}${words.slice(1)}.`,
    '',
    'No attempt has failed. Work continues without you once this is repaired; `mailroom status` shows it.',
  ]);
}
