import { MailroomError } from '../../core/errors.ts';
import { convertToNative } from '../../engine/operations/convert.ts';
import type { Context } from '../context.ts';
import { expectDefinition } from '../run-start.ts';

/** Prints a workflow in another language. */
export async function convert(context: Context, reference: string, language: string): Promise<number> {
  if (language !== 'native')
    throw new MailroomError('E_USAGE', `nothing is converted to \`${language}\``, 'write `--to native`');
  const { services, terminal } = context;
  const found = await context.place().workflows.read(reference, services.cwd);
  terminal.write(convertToNative(expectDefinition(found)));
  return 0;
}
