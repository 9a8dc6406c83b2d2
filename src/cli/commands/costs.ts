import { Option, type Command } from 'commander';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import type { CostsOptions } from '../actions/costs.ts';
import type { CostKind } from '../../operations/costs.ts';

const kinds: readonly CostKind[] = ['role', 'thread', 'run', 'step', 'provider', 'model', 'day', 'week'];

/** `week,model`: the groups, each once. */
function kindsIn(text: string): CostKind[] {
  const words = text.split(',').map((word) => word.trim());
  const found = words.flatMap((word) => kinds.find((kind) => kind === word) ?? []);
  if (found.length === words.length && new Set(found).size === found.length) return found;
  const wrong = words.find((word) => !kinds.some((kind) => kind === word)) ?? text;
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is not a value of \`--by <kinds>\``,
    didYouMean(wrong, kinds) ?? `one or several of ${kinds.join(', ')}, each once, separated by commas`,
  );
}

/** `costs`: shows what was paid, and for what. */
export function addCosts(program: Command, context: Context): void {
  program
    .command('costs')
    .description('show costs in tokens and dollars by role, thread, run, step, provider, model, day or week')
    .addOption(
      new Option('--by <kinds>', 'group by these, separated by commas')
        .argParser(kindsIn)
        .default(['role'], 'role'),
    )
    .option('--since <when>', 'only costs since a date (2026-11-21) or within a duration (7d)')
    .addOption(new Option('--csv', 'print CSV, for a spreadsheet').conflicts('json'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom costs --by week,model --since 30d --csv')
    .action(
      context.act(async (options: CostsOptions) =>
        (await import('../actions/costs.ts')).costs(context, options),
      ),
    );
}
