import metadata from '../../../package.json' with { type: 'json' };
import { serveEditor } from './server.ts';
import type { Context } from '../../cli/context.ts';

/** Serves an editor until it ends the connection. */
export async function lsp({ call }: Context): Promise<number> {
  await serveEditor({
    version: metadata.version,
    open: (file, unsaved) => call.openEdited(file, unsaved),
  });
  return 0;
}
