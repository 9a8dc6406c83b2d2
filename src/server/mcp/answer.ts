import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { ProblemsError } from '../../operations/problems.ts';

/** What a tool gives. */
interface Given {
  /** As the output schema of the tool says. */
  readonly document: object;
  /** The same for clients that read text; missing: the document as JSON. */
  readonly text?: string;
  /** Why the document is that of a failure; missing: it is none. */
  readonly failure?: string | null;
}

/** What a tool answers. */
interface Answer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** What the agent receives: what was done, or why it was not and what would be right. */
export async function answer(act: () => Given | Promise<Given>): Promise<Answer> {
  try {
    const { document, text = JSON.stringify(document, null, 2), failure = null } = await act();
    const texts = failure === null ? [text] : [text, failure];
    return {
      content: texts.map((each) => ({ type: 'text', text: each })),
      structuredContent: { ...document },
      ...(failure !== null && { isError: true }),
    };
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const all = error instanceof ProblemsError ? error.problems : [error];
    return { content: [{ type: 'text', text: all.map(problemLine).join('\n') }], isError: true };
  }
}

/** `mailroom.yaml:3:7: E_CODE: message (hint)`, with the place where there is one. */
export function problemLine(
  problem: Pick<MailroomError, 'code' | 'message' | 'hint'> & Partial<Diagnostic>,
): string {
  const { code, message, hint, place = null } = problem;
  const at = place === null ? '' : `${place.file}:${String(place.line)}:${String(place.column)}: `;
  return `${at}${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
}
