import { type Protocol, isHuman, workflowRole } from '../format/protocol.ts';
import { refusal } from '../machine/rules/commands.ts';
import { type StepRequest, type StepNotice, readIncoming, type IncomingFile } from '../../letters/letters.ts';
import { answerOf, isStep, sentNotice, sentStep, stepOf, turnedAway } from '../machine/step.ts';
import type { MailLedger } from './ledger.ts';
import { reportRefused } from './notices.ts';
import { ControlReader } from '../../host/control.ts';
import type { RunMail } from '../../host/run-mail.ts';
import type { Ask } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';
import type { MessageId } from '../../kernel/ids.ts';

/** Reads the runs' requests to the mail. Reading one twice has the same effect. */
export function incomingReader(
  ledger: MailLedger,
  protocol: Protocol,
  runs: RunMail,
): ControlReader<IncomingFile> {
  return new ControlReader(runs.incoming, {
    read: readIncoming,
    follow: (file) => take(ledger, protocol, runs, file),
    refused: (file) => reportRefused(ledger, file),
  });
}

function take(ledger: MailLedger, protocol: Protocol, runs: RunMail, file: IncomingFile): void {
  if (file.kind === 'withdrawal') acceptWithdrawal(ledger, protocol, file);
  else if (file.kind === 'notice') acceptNotice(ledger, protocol, file);
  else acceptStep(ledger, protocol, runs, file);
}

function acceptStep(ledger: MailLedger, protocol: Protocol, runs: RunMail, request: StepRequest): void {
  const known = ledger.state.mail.get(request.id);
  if (known) {
    // A restarted run that does not know its progress repeats its requests.
    const answer = answerOf(ledger.state, known);
    if (answer) runs.answer(answer);
    return;
  }
  if (protocol.roles.has(request.role)) {
    ledger.record([{ type: 'accepted', sent: sentStep(protocol, request, ledger.now()) }]);
    return;
  }
  const text = `the protocol has no role \`${request.role}\``;
  runs.answer(turnedAway(request, { code: 'E_UNKNOWN_NAME', text }));
}

/** Repeated requests cause one notice, as long as the mail remembers it. */
function acceptNotice(ledger: MailLedger, protocol: Protocol, notice: StepNotice): void {
  if (ledger.state.mail.has(notice.id) || !protocol.roles.has(notice.role)) return;
  ledger.record([{ type: 'accepted', sent: sentNotice(protocol, notice, ledger.now()) }]);
}

/** Cancels a withdrawn step with its whole thread. */
function acceptWithdrawal(
  ledger: MailLedger,
  protocol: Protocol,
  { id, by, step }: Extract<IncomingFile, { kind: 'withdrawal' }>,
): void {
  const mail = stepOf(ledger.state, step);
  const [ask] = [...(mail?.request?.asks.values() ?? [])];
  if (!mail || !isStep(mail.message) || ask?.is !== 'open') return;
  const command = { verb: 'cancel', target: { kind: 'thread', thread: step } } as const;
  const reason = refusal(ledger.state, protocol, command, by);
  ledger.record([{ type: 'controlled', id, by, command, refusal: reason }]);
}

/** Unfinished steps whose role waits for a person, or for answers to its own requests, by run. */
export function waitingSteps(state: MailState, protocol: Protocol): Map<string, MessageId[]> {
  const found = new Map<string, MessageId[]>();
  if ((state.roles.get(workflowRole)?.waitsFor.size ?? 0) === 0) return found;
  const running = new Set([...state.turns.values()].flatMap(({ owes }) => owes.map(key)));
  const carried = new Set([...state.waits.values()].flatMap(({ owes }) => owes.map(key)));
  for (const { role, requests } of state.waits.values())
    if (role === workflowRole)
      for (const request of requests) {
        const mail = state.mail.get(request);
        const run = mail?.message.fields['run'];
        for (const [recipient, ask] of mail?.request?.asks ?? []) {
          const one = key({ request, recipient });
          const waits = isHuman(protocol, recipient) || (carried.has(one) && !running.has(one));
          if (typeof run !== 'string' || ask.is !== 'open' || !waits) continue;
          found.set(run, [...(found.get(run) ?? []), request]);
        }
      }
  return found;
}

function key({ request, recipient }: Ask): string {
  return `${request} ${recipient}`;
}
