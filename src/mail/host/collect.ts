import type { Staged, TurnResult } from '../machine/event.ts';
import { parseMessage } from '../format/read-message.ts';
import { problemText } from '../../host/problems.ts';
import { listed } from '../../kernel/enumerate.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { codeOf } from '../../kernel/contained.ts';
import type { Usage } from '../../kernel/cost.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { Exit, Invocation, Outcome, StagedFile } from '../../providers/provider.ts';

interface Stamps {
  readonly newId: () => string;
  readonly created: number;
}

function read(name: string, text: string, { newId, created }: Stamps): Staged {
  const parsed = parseMessage(text, name, 'turn');
  const id = newId();
  if (parsed.ok) return { id, created, name, draft: parsed.value, problem: null, text };
  return { id, created, name, draft: null, problem: parsed.problems.map(problemText).join('; '), text };
}

/** The result of an invocation: its staged files and its final text, parsed as messages. */
export function resultOf(
  files: readonly StagedFile[],
  outcome: Extract<Outcome, { is: 'done' }>,
  exit: Exit,
  { violations, reports }: { readonly violations: readonly string[]; readonly reports: readonly string[] },
  stamps: Stamps,
  owesStep: boolean,
): TurnResult {
  const staged = files.map(({ name, content }): Staged => {
    if (content.ok) return read(name, content.text, stamps);
    const { created, newId } = stamps;
    return { id: newId(), created, name, draft: null, problem: content.problem, text: '' };
  });
  const { text, usage, session, model } = outcome;
  return {
    text,
    staged,
    finalText: text.trim() === '' ? null : read('final text', text, stamps),
    stepResult: owesStep ? { id: stamps.newId(), created: stamps.created } : null,
    violations,
    reports,
    usage,
    session,
    model,
    exit: exit.code,
    durationMs: exit.durationMs,
  };
}

/** A disk error may be gone at the next attempt; other errors are permanent. */
export function failedBy(error: Error, usage: Usage) {
  const code = codeOf(error);
  return {
    class: code === 'E_DISK' ? ('RETRYABLE_TRANSIENT' as const) : ('NON_RETRYABLE' as const),
    reason: { code, text: error.message },
    until: null,
    usage,
  };
}

/** The reason of a failed attempt, with what it had written and is not sent. */
export function withUnsent(
  reason: Reason,
  { folder, names }: { readonly folder: string; readonly names: readonly string[] },
): Reason {
  if (names.length === 0) return reason;
  const [shown, more] = [names.slice(0, 5).map((name) => oneLine(name, 80)), names.length - 5];
  const named = listed([...shown, ...(more > 0 ? [`${more} more`] : [])]);
  return { ...reason, text: `${reason.text}; it had written ${named}, not sent, in ${folder}` };
}

/** A lost session counts only if one was resumed: otherwise the retries would never end. */
export function soundReason(reason: Reason, { session }: Invocation): Reason {
  return reason.code === 'E_SESSION' && session === null ? { ...reason, code: 'E_PROVIDER' } : reason;
}
