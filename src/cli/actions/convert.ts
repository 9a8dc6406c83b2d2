import { MailroomError } from '../../kernel/errors.ts';
import { convertToNative } from '../../operations/convert.ts';
import type { Context } from '../context.ts';
import { expectDefinition } from '../run-start.ts';
import { openWorkflow } from '../workflow-place.ts';

/** Prints a workflow in the native language. Resolves to the exit code. */
export async function convert(
  context: Context,
  reference: string,
  { to: target }: { readonly to: string },
): Promise<number> {
  if (target !== 'native')
    throw new MailroomError(
      'E_USAGE',
      `a workflow cannot be converted to \`${target}\``,
      'write `--to native`',
    );
  context.terminal.write(convertToNative(expectDefinition(await openWorkflow(context, reference))));
  return 0;
}
