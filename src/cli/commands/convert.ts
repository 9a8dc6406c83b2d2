import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `convert`: prints a workflow in the native language. */
export function addConvert(program: Command, context: Context): void {
  program
    .command('convert')
    .description('print a workflow as an equivalent file of the native language')
    .argument('<workflow>', 'a file, or the id or name of a workflow in workflows/')
    .option('--to <language>', 'the target language; only native', 'native')
    .addHelpText(
      'after',
      '\nExample:\n  $ mailroom convert workflows/demo.yaml --to native > workflows/native.yaml',
    )
    .action(
      context.act(async (workflow: string, options: { readonly to: string }) => {
        const { convert } = await import('../actions/convert.ts');
        return convert(context, workflow, options.to);
      }),
    );
}
