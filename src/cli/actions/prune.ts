import { span } from '../../kernel/times.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { bytesInWords } from '../../kernel/bytes.ts';
import { checkoutOwner } from '../../kernel/work.ts';
import { formatDuration, parseDuration } from '../../kernel/duration.ts';
import { prunedKinds, type Prunable, type PrunedKind } from '../../project/prune.ts';
import type { Context } from '../context.ts';
import { short, table } from '../format.ts';
import { json } from '../output.ts';

interface PruneOptions {
  readonly olderThan: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Lists old turns, runs and checkouts that nothing needs, and removes them if confirmed. */
export async function runPrune(
  context: Context,
  kinds: readonly PrunedKind[],
  options: PruneOptions,
): Promise<number> {
  const { terminal } = context;
  context.outsideTurn('prune');
  const age = parseDuration(options.olderThan);
  if (age === null) throw new MailroomError('E_USAGE', '`--older-than` is a duration such as 30d or 12h');
  context.announce();
  const project = context.project();
  const state = project.journal.state();
  const before = terminal.now() - age;
  const found = await project.pruning.list(kinds.length === 0 ? prunedKinds : kinds, { state, before });
  const items = found.filter(({ kept }) => kept === null);
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  const asks = options.yes !== true && options.json !== true && terminal.interactive && items.length > 0;
  if (options.json !== true && found.length > 0) terminal.print(`${listing(context, found).join('\n')}\n`);
  const removes = options.yes === true || (asks && (await confirmed(items.length, bytes)));
  const failed: { readonly id: string; readonly why: string }[] = [];
  const words = ['prune', ...kinds, '--older-than', options.olderThan, '--yes'];
  if (removes)
    for (const item of items) {
      const why = await project.pruning.remove(item, { state, before });
      if (why !== null) failed.push({ id: item.id, why });
    }
  if (options.json === true) {
    const documents = found.map(({ since, ...item }) => ({ ...item, since: new Date(since).toISOString() }));
    terminal.write(json({ schema: 1, removed: removes, bytes, items: documents, failed }));
  } else {
    for (const { id, why } of failed) terminal.complain(`kept ${id}: ${why}\n`);
    const what = `${counted(items.length - failed.length)}, ${bytesInWords(bytes)}`;
    if (removes) terminal.print(`removed ${what}\n`);
    else if (items.length === 0) terminal.print(`nothing to remove is older than ${formatDuration(age)}\n`);
    else terminal.print(`nothing was removed: ${what}. To remove: ${context.commandLine(words.join(' '))}\n`);
  }
  return failed.length > 0 ? 1 : 0;
}

function counted(count: number): string {
  return `${String(count)} ${count === 1 ? 'folder' : 'folders'}`;
}

function listing({ terminal }: Context, found: readonly Prunable[]): string[] {
  const rows = found.map(({ kind, id, since, bytes, kept }) => [
    kind,
    kind === 'turns' ? id : kind === 'worktrees' ? checkoutWords(id) : short(id),
    ageWords(terminal.now() - since),
    bytesInWords(bytes),
    kept === null ? 'remove' : `keep: ${kept}`,
  ]);
  return table(['KIND', 'ID', 'AGE', 'SIZE', ''], rows);
}

function checkoutWords(id: string): string {
  const { thread, role } = checkoutOwner(id);
  return role === null ? short(thread) : `${short(thread)} ${role}`;
}

const day = 86_400_000;

function ageWords(age: number): string {
  return age < day ? span(age) : formatDuration(Math.floor(age / day) * day);
}

async function confirmed(count: number, bytes: number): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: `Remove ${counted(count)}, ${bytesInWords(bytes)}?`,
    initialValue: false,
  });
  return !isCancel(answer) && answer;
}
