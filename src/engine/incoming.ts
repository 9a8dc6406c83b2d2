import { isJsonObject, parseJson, type JsonObject } from '../core/json.ts';
import type { Fact } from '../core/mail/event.ts';
import type { Protocol } from '../core/mail/protocol.ts';
import { refusal } from '../core/mail/rules/commands.ts';
import { tellUser } from '../core/mail/rules/notices.ts';
import type { StepLetter, StepNotice } from '../core/mail/step-answer.ts';
import { answerOf, isStep, sentNotice, sentStep, stepOf, turnedAway } from '../core/mail/step.ts';
import type { RunMail } from '../core/ports.ts';
import type { Ledger } from './ledger.ts';

/** One file in `.mailroom/incoming/`: what a run asks of the mail. */
export type IncomingFile =
  | ({ readonly kind: 'step' } & StepLetter)
  /** A role is told something about a run. */
  | ({ readonly kind: 'notice' } & StepNotice)
  /** The step is not wanted any more. */
  | {
      readonly kind: 'withdrawal';
      readonly id: string;
      readonly run: string;
      /** The step's message. */
      readonly step: string;
      readonly by: string;
    };

/** Takes what runs have put there. Returns the files' names: they may go once what became of them is in the journal. */
export function takeIncoming(
  ledger: Ledger,
  protocol: Protocol,
  runs: RunMail,
  newId: () => string,
): string[] {
  return runs.list().map(({ name, text }) => {
    const file = text === null ? null : parse(text);
    if (file === null) ledger.record([nonsense(newId(), name, text ?? '')]);
    else if (file.kind === 'withdrawal') withdraw(ledger, protocol, file);
    else if (file.kind === 'notice') tell(ledger, protocol, file);
    else takeStep(ledger, protocol, runs, file);
    return name;
  });
}

function takeStep(ledger: Ledger, protocol: Protocol, runs: RunMail, letter: StepLetter): void {
  const known = ledger.state.mail.get(letter.id);
  if (known) {
    // Put there again by a run that does not know how far it had come.
    const answer = answerOf(ledger.state, known);
    if (answer) runs.answer(answer);
    return;
  }
  if (protocol.roles.has(letter.role)) {
    ledger.record([{ type: 'accepted', sent: sentStep(protocol, letter, ledger.now()) }]);
    return;
  }
  const text = `the protocol has no role \`${letter.role}\``;
  runs.answer(turnedAway(letter, { code: 'E_UNKNOWN_NAME', text }));
}

/** Put there twice it is told once, as long as the mail knows it. */
function tell(ledger: Ledger, protocol: Protocol, notice: StepNotice): void {
  if (ledger.state.mail.has(notice.id) || !protocol.roles.has(notice.role)) return;
  ledger.record([{ type: 'accepted', sent: sentNotice(protocol, notice, ledger.now()) }]);
}

/** What a run does not want any more is cancelled with everything that was said about it. */
function withdraw(
  ledger: Ledger,
  protocol: Protocol,
  { id, by, step }: Extract<IncomingFile, { kind: 'withdrawal' }>,
): void {
  const mail = stepOf(ledger.state, step);
  const [ask] = [...(mail?.request?.asks.values() ?? [])];
  if (!mail || !isStep(mail.message) || ask?.is !== 'open') return;
  const command = { verb: 'cancel', target: { kind: 'thread', thread: step } } as const;
  const reason = refusal(ledger.state, protocol, command);
  ledger.record([{ type: 'controlled', id, by, command, refusal: reason }]);
}

function nonsense(id: string, name: string, text: string): Fact {
  const problem = 'it is no step of a run';
  return {
    type: 'refused',
    id,
    role: 'user',
    box: 'inbox',
    name,
    text: text === '' ? '(not readable)' : text,
    reason: { code: 'E_MESSAGE', text: problem },
    notices: [
      tellUser(null, `Refused: .mailroom/incoming/${name.slice(0, 80)}`, [
        `This file was not taken: ${problem}.`,
        'It lies in agents/user/failed/ with the reason beside it.',
      ]),
    ],
  };
}

function parse(text: string): IncomingFile | null {
  const value = parseJson(text);
  if (!isJsonObject(value)) return null;
  const { kind, fields, timeout } = value;
  if (kind === 'withdrawal')
    return areTexts(value, ['id', 'run', 'step', 'by']) ? (value as unknown as IncomingFile) : null;
  if (kind === 'notice')
    return areTexts(value, ['id', 'run', 'role', 'subject', 'body'])
      ? (value as unknown as IncomingFile)
      : null;
  const whole =
    kind === 'step' &&
    areTexts(value, ['id', 'run', 'role', 'subject', 'body']) &&
    isJsonObject(fields ?? null) &&
    (timeout === null || typeof timeout === 'number');
  return whole ? (value as unknown as IncomingFile) : null;
}

function areTexts(value: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}
