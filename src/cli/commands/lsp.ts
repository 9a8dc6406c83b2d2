import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `lsp`: a language server for editors, on standard input and output. */
export function addLsp(program: Command, context: Context): void {
  program
    .command('lsp')
    .description(
      'serve diagnostics, completion and more to an editor, over the Language Server Protocol on stdio',
    )
    .option('--stdio', 'use standard input and output, as always; many editors pass this option')
    .addHelpText('after', '\nExample:\n  $ mailroom lsp')
    .action(context.act(async () => (await import('../actions/lsp.ts')).lsp(context)));
}
