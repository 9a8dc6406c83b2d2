import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Project } from '../../project/project.ts';
import { noteProgress, questionType, stageMessage, threadText } from '../../mail/questions/turn-tools.ts';
import type { TurnPlace } from '../../mail/questions/sending.ts';
import { answer } from './answer.ts';

/** The tools of one turn. */
interface TurnServices {
  readonly project: Project;
  readonly turn: TurnPlace;
  readonly version: string;
}

const instructions = `You work in one turn of the role that your prompt names. These tools do what files in
$MAILROOM_OUTBOX do, no more: messages are sent when your turn ends and its mail is within the protocol.`;

const recipients = z.union([z.string(), z.array(z.string()).min(1)]).describe('A role, or several');
const fields = z
  .record(z.string(), z.json())
  .optional()
  .describe('What the type of message asks for, by name');
const subject = z.string().optional().describe('One line');
const written = z.strictObject({
  path: z.string().describe('The file of the message in the staging folder'),
  message: z.string(),
});
const type = (what: string) =>
  z.string().optional().describe(`${what}; may be left out where there is only one`);

/** `turn-answers.json` has what it says of itself: `npm run schemas` writes it. */
export function turnServer(services: TurnServices): McpServer {
  const server = new McpServer({ name: 'mailroom', version: services.version }, { instructions });
  addMail(server, services);
  addQuestion(server, services);
  addThread(server, services);
  return server;
}

function addMail(server: McpServer, { project, turn }: TurnServices): void {
  server.registerTool(
    'send_message',
    {
      title: 'Send a message',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },

      description: 'Write a message. It is sent when this turn ends.',
      inputSchema: z.strictObject({
        to: recipients,
        type: type('The type of message'),
        subject,
        body: z.string().describe('Markdown'),
        fields,
        attachments: z.array(z.string()).optional().describe('Paths inside the project'),
      }),
      outputSchema: written,
    },
    (letter) =>
      answer(async () => {
        const path = await stageMessage(project, turn, {
          to: [letter.to].flat(),
          type: letter.type ?? null,
          subject: letter.subject ?? null,
          body: letter.body,
          fields: letter.fields ?? {},
          attachments: letter.attachments ?? [],
        });
        return saying(path, `Staged ${path}. It is sent when this turn ends.`);
      }),
  );
}

function addQuestion(server: McpServer, { project, turn }: TurnServices): void {
  server.registerTool(
    'ask',
    {
      title: 'Ask a question',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },

      description: 'Ask a question that you need answered to continue. End your turn after it.',
      inputSchema: z.strictObject({
        to: recipients,
        question: z.string().describe('Markdown'),
        type: type('The type'),
        subject,
        fields,
      }),
      outputSchema: written,
    },
    (asked) =>
      answer(async () => {
        const to = [asked.to].flat();
        const kind = asked.type ?? (await questionType(project, turn.role, to));
        const letter = { to, type: kind, subject: asked.subject ?? null, body: asked.question };
        const path = await stageMessage(project, turn, {
          ...letter,
          fields: asked.fields ?? {},
          attachments: [],
        });
        return saying(
          path,
          'Asked. End your turn now, without any more work: you are started again with the answer.',
        );
      }),
  );
}

function addThread(server: McpServer, { project, turn }: TurnServices): void {
  server.registerTool(
    'read_thread',
    {
      title: 'Read the thread',
      annotations: { readOnlyHint: true, openWorldHint: false },

      description: 'Read what was said in this thread so far, oldest first.',
      inputSchema: z.strictObject({}),
      outputSchema: z.strictObject({ thread: z.string().describe('The messages as files, oldest first') }),
    },
    () =>
      answer(() => {
        const text = threadText(project, turn);
        return { document: { thread: text }, text };
      }),
  );
  server.registerTool(
    'report_progress',
    {
      title: 'Report progress',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },

      description:
        'Report your progress in one line to the people who watch. This sends no message and starts no role.',
      inputSchema: z.strictObject({ text: z.string().max(500).describe('One line') }),
      outputSchema: z.strictObject({ message: z.string() }),
    },
    ({ text }) =>
      answer(() => {
        noteProgress(project, turn, text);
        return { document: { message: 'Noted.' }, text: 'Noted.' };
      }),
  );
}

/** What was written, and what to do next. */
function saying(
  path: string,
  message: string,
): { readonly document: z.infer<typeof written>; readonly text: string } {
  return { document: { path, message }, text: message };
}
