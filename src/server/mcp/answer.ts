import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { ProblemsError } from '../../project/definition/problems.ts';

/** The result of a tool. */
interface ToolResult {
  /** Matches the output schema of the tool. */
  readonly document: object;
  /** The same for clients that read text; absent: the document as JSON. */
  readonly text?: string;
  /** Why the document is a failure's; absent: it is not a failure. */
  readonly failure?: string | null;
}

/** The response of a tool. */
interface Answer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** The agent's response: the result, or why the call failed and how to correct it. */
export async function answer(act: () => ToolResult | Promise<ToolResult>): Promise<Answer> {
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

/** `mailroom.yaml:3:7: E_CODE: message (hint)`, with the position if there is one. */
export function problemLine(
  problem: Pick<MailroomError, 'code' | 'message' | 'hint'> & Partial<Diagnostic>,
): string {
  const { code, message, hint, place = null } = problem;
  const at = place === null ? '' : `${place.file}:${String(place.line)}:${String(place.column)}: `;
  return `${at}${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
}
