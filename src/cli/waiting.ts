import { MailroomError } from '../kernel/errors.ts';
import type { Message } from '../mail/format/message.ts';
import { answerTo, type Answer } from '../mail/questions/answer.ts';
import { knownMessage, messageDocument } from '../mail/questions/messages.ts';
import { wordOf } from '../mail/questions/sending.ts';
import type { Context } from './context.ts';
import { line, printable, short } from './format.ts';
import { json } from './output.ts';
import type { Project } from '../project/project.ts';
import type { Sending } from '../documents/mail.ts';

interface Waiting {
  readonly role: string;
  readonly sending: Sending;
  readonly json: boolean;
}

/**
 * Waits until the message is answered or its thread has ended, and prints the mail for its sender:
 * each message when it arrives, or one document at the end. Exit code 1 if the thread failed or
 * nothing can arrive any more, 130 on Ctrl-C.
 */
export async function awaitAnswer(context: Context, project: Project, waiting: Waiting): Promise<number> {
  const { terminal } = context;
  let stopped = false;
  const forget = terminal.onSignal(() => {
    stopped = true;
  });
  const shown = new Set<string>();
  try {
    for (;;) {
      const sent = sentNow(project, waiting.sending);
      const answer = sent && answerTo(project.journal.state(), sent.id, waiting.role);
      if (answer && !waiting.json) show(context, answer.news, shown);
      if (sent && answer?.is === 'over') return end(context, project, answer, sent, waiting.json);
      if (stopped)
        throw new MailroomError('E_CANCELLED', 'stopped waiting; the message is on its way all the same');
      await project.changed(500);
    }
  } finally {
    forget();
  }
}

type Sent = Extract<Sending, { state: 'accepted' }>;

/**
 * The sent message once the controller has accepted it; null: not yet. Throws `E_MESSAGE` if the
 * controller refuses it.
 */
function sentNow(project: Project, sending: Sending): Sent | null {
  if (sending.state !== 'recorded') return sending.state === 'accepted' ? sending : null;
  const word = wordOf(project, sending.reference);
  if (word === undefined) return null;
  if ('refusal' in word) throw new MailroomError('E_MESSAGE', word.refusal, 'nothing was sent');
  return word;
}

function show({ terminal }: Context, news: readonly Message[], shown: Set<string>): void {
  for (const { id, type, from, subject, body } of news) {
    if (shown.has(id)) continue;
    shown.add(id);
    terminal.write(
      `${line(`${from}: ${type} — ${subject} (${short(id)})`)}\n\n${printable(body).trimEnd()}\n\n`,
    );
  }
}

function end(
  { terminal }: Context,
  project: Project,
  answer: Extract<Answer, { is: 'over' }>,
  sent: Sent,
  asJson: boolean,
): number {
  const silent = answer.news.length === 0;
  const failed = answer.thread === 'failed' || (answer.thread === 'quiet' && silent);
  if (asJson) {
    const state = project.journal.state();
    const messages = answer.news.map((message) => messageDocument(project, knownMessage(state, message)));
    terminal.write(json({ ...sent, thread_state: answer.thread, messages }));
  } else if (failed || silent) terminal.complain(`the thread is ${answer.thread}\n`);
  return failed ? 1 : 0;
}
