import type { Extension } from '../../cli/extension.ts';

/** The language server for editors. */
export const editors: Extension = {
  name: 'editors',
  commands: {
    project: {
      lsp: {
        about:
          'serve diagnostics, completion and more to an editor, over the Language Server Protocol on stdio',
        options: { '--stdio': 'use standard input and output, as always; many editors pass this option' },
        examples: ['mailroom lsp'],
        run: async () => (await import('./lsp.ts')).lsp,
      },
    },
  },
};
