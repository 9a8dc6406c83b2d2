import type { Diagnostic } from '../core/diagnostic.ts';
import { MailroomError } from '../core/errors.ts';
import { ProblemsError } from '../engine/operations/problems.ts';

/** What a tool answers. */
interface Answer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** What the agent hears: what was done, or why it was not and what would be right. */
export async function answer(act: () => string | Promise<string>): Promise<Answer> {
  try {
    return { content: [{ type: 'text', text: await act() }] };
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const all = error instanceof ProblemsError ? error.problems : [error];
    return { content: [{ type: 'text', text: all.map(line).join('\n') }], isError: true };
  }
}

/** `mailroom.yaml:3:7: E_CODE: message (hint)`, with the place where there is one. */
function line(problem: Pick<MailroomError, 'code' | 'message' | 'hint'> & Partial<Diagnostic>): string {
  const { code, message, hint, place = null } = problem;
  const at = place === null ? '' : `${place.file}:${String(place.line)}:${String(place.column)}: `;
  return `${at}${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
}
