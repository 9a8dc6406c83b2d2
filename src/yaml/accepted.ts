import type { Diagnostic, Place } from '../kernel/diagnostic.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { errorCodes, type ErrorCode } from '../kernel/errors.ts';

/**
 * `# mailroom-ok: E_STUCK reason`, in Markdown also `<!-- mailroom-ok: E_STUCK reason -->`, at the
 * end of the line that it accepts a warning of, or above it.
 */
const comment = /(?:^|\s)(#|<!--)\s*mailroom-ok:\s*(\S*)[ \t]*(.*?)(?:\s*-->)?$/;
/** What may lie between such a comment and its line: empty lines and other comments. */
const between = { '#': /^\s*(?:#|$)/, '<!--': /^\s*(?:<!--.*-->\s*$|$)/ } as const;

interface Acceptance {
  readonly code: string;
  readonly reason: string;
  /** The line whose warnings it accepts. */
  readonly line: number;
  readonly place: Place;
}

export interface Judged {
  /** Warnings that no comment accepts, and comments that accept nothing or give no reason. */
  readonly left: readonly Diagnostic[];
  readonly accepted: number;
}

/**
 * Leaves out the warnings that a comment in one of the files accepts. `judged`: whether warnings of
 * this code were looked for, so that a comment without one is unused.
 */
export function withoutAccepted(
  found: readonly Diagnostic[],
  files: readonly { readonly file: string; readonly text: string }[],
  judged: (code: ErrorCode) => boolean,
): Judged {
  const acceptances = files.flatMap(({ file, text }) => acceptancesIn(file, text));
  const used = new Set<Acceptance>();
  const left = found.filter(({ severity, code, place }) => {
    if (severity !== 'warning' || place === null) return true;
    const accepting = acceptances.filter(
      (one) => one.code === code && one.place.file === place.file && one.line === place.line,
    );
    for (const one of accepting) used.add(one);
    return accepting.length === 0;
  });
  const problems = acceptances.flatMap((one) => problemOf(one, used.has(one), judged));
  return { left: [...left, ...problems], accepted: found.length - left.length };
}

function acceptancesIn(file: string, text: string): Acceptance[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, index): Acceptance[] => {
    const match = comment.exec(line);
    if (match === null) return [];
    const [whole, mark = '', code = '', reason = ''] = match;
    const column = match.index + whole.indexOf(mark) + 1;
    const place = { file, line: index + 1, column, length: whole.trim().length, text: line };
    const isAlone = line.slice(0, column - 1).trim() === '';
    const skipped = between[mark === '#' ? mark : '<!--'];
    const below = lines.findIndex((next, at) => at > index && !skipped.test(next));
    return [{ code, reason: reason.trim(), line: isAlone ? below + 1 : index + 1, place }];
  });
}

function problemOf(
  { code, reason, place }: Acceptance,
  isUsed: boolean,
  judged: (code: ErrorCode) => boolean,
): Diagnostic[] {
  const warning = (message: string, hint: string): Diagnostic[] => [
    { code: 'E_VALUE', severity: 'warning', message, place, hint },
  ];
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const known = codes.find((one) => one === code);
  if (known === undefined)
    return warning(
      `\`mailroom-ok\` accepts an unknown warning: \`${code}\``,
      didYouMean(code, codes) ?? 'write `# mailroom-ok: CODE reason`, such as E_STUCK',
    );
  if (!isUsed)
    return judged(known) ? warning(`\`mailroom-ok\` accepts no \`${code}\` here`, 'remove the comment') : [];
  return reason === '' ? warning('`mailroom-ok` has no reason', `write it after \`${code}\``) : [];
}
