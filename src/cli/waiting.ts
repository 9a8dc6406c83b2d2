import { MailroomError } from '../core/errors.ts';
import { emptyState } from '../core/mail/state.ts';
import type { Message } from '../core/mail/message.ts';
import { answerTo, type Answer } from '../engine/operations/answer.ts';
import { knownMessage, messageDocument } from '../engine/operations/messages.ts';
import type { Handed } from '../engine/operations/sending.ts';
import type { Context } from './context.ts';
import { line, printable, short } from './format.ts';
import { json } from './output.ts';
import type { ProjectServices } from './services.ts';

interface Waiting {
  readonly role: string;
  readonly handed: Handed;
  readonly json: boolean;
}

/**
 * Waits until the message is answered or its thread has ended, and prints what came for its sender: each message when it
 * comes, or one document at the end. Exit code 1 when the thread failed, 130 on Ctrl-C.
 */
export async function awaitAnswer(
  context: Context,
  project: ProjectServices,
  waiting: Waiting,
): Promise<number> {
  const { terminal } = context;
  const { handed } = waiting;
  const awaited = {
    role: waiting.role,
    id: handed.state === 'accepted' ? handed.id : null,
    reference: handed.state === 'recorded' ? handed.reference : null,
  };
  let stopped = false;
  const forget = terminal.onSignal(() => {
    stopped = true;
  });
  const shown = new Set<string>();
  try {
    for (;;) {
      const answer = answerTo(project.state() ?? emptyState(), awaited);
      if (answer && !waiting.json) show(context, answer.news, shown);
      if (answer?.is === 'over') return end(context, project, answer, waiting);
      if (stopped)
        throw new MailroomError('E_CANCELLED', 'stopped waiting; the message is on its way all the same');
      await project.changed(500);
    }
  } finally {
    forget();
  }
}

function show({ terminal }: Context, news: readonly Message[], shown: Set<string>): void {
  for (const { id, type, from, subject, body } of news) {
    if (shown.has(id)) continue;
    shown.add(id);
    terminal.write(`${from}: ${type} — ${line(subject)} (${short(id)})\n\n${printable(body).trimEnd()}\n\n`);
  }
}

function end(
  { terminal }: Context,
  project: ProjectServices,
  answer: Extract<Answer, { is: 'over' }>,
  waiting: Waiting,
): number {
  const failed = answer.thread === 'failed';
  if (waiting.json) {
    const state = project.state() ?? emptyState();
    const messages = answer.news.map((message) => messageDocument(project, knownMessage(state, message)));
    terminal.write(json({ ...waiting.handed, thread_state: answer.thread, messages }));
  } else if (failed || answer.news.length === 0) terminal.complain(`the thread is ${answer.thread}\n`);
  return failed ? 1 : 0;
}
