import { costKinds, type CostKind } from '../../kernel/cost.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { dayOf } from '../../kernel/money.ts';
import { costsOf } from './costs.ts';
import type { Project } from '../../project/project.ts';
import type { CostsDocument } from '../../documents/mail.ts';

/**
 * The costs of a project. `by`: kinds, separated by commas; `since`: a day, or how long ago; null:
 * all. `now`: milliseconds since 1970. Throws `E_USAGE`.
 */
export function readCosts(
  project: Project,
  { by, since }: { readonly by: string; readonly since: string | null },
  now: number,
): CostsDocument {
  const kinds = kindsIn(by);
  const from = since === null ? null : dayIn(since, now);
  const { workflows } = project;
  const cards = workflows.runs();
  const runs = cards.map(({ run }) => workflows.row(run));
  const named = new Map(cards.map(({ run, workflow }) => [run, workflow]));
  return costsOf(project.journal.state(), runs, kinds, from, named);
}

/** `week,model`: the groups, each once. */
function kindsIn(text: string): CostKind[] {
  const words = text.split(',').map((word) => word.trim());
  const found = words.flatMap((word) => costKinds.find((kind) => kind === word) ?? []);
  if (found.length === words.length && new Set(found).size === found.length) return found;
  if (words.includes('part'))
    throw new MailroomError(
      'E_USAGE',
      '`part` stands alone, and only the command line has it',
      'run mailroom costs --by part',
    );
  const wrong = words.find((word) => !costKinds.some((kind) => kind === word)) ?? text;
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is not a value of \`--by <kinds>\``,
    didYouMean(wrong, costKinds) ??
      `one or several of ${costKinds.join(', ')}, each once, separated by commas; or part, alone`,
  );
}

/** The UTC day of a date on the command line. */
function dayIn(text: string, now: number): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  const length = parseDuration(text);
  if (length !== null) return dayOf(now - length);
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is neither a day nor a duration`,
    'for example --since 2026-11-21, or --since 7d',
  );
}
