import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { printView } from '../output.ts';
import type { Project } from '../../project/project.ts';
import { trailLines } from '../trail-text.ts';

interface TrailOptions {
  readonly full?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export async function trail(context: Context, word: string | null, options: TrailOptions): Promise<number> {
  const { trailOf } = await import('../../mail/questions/messages.ts');
  const { terminal } = context;
  const project = context.project();
  const thread = word === null ? null : await threadOf(project, await idOf(context, word, ['thread']));
  const style = { full: options.full === true, colours: terminal.colours };
  return printView(context, project, { ...options, keeps: 'last' }, () => {
    const state = project.journal.state();
    const messages = trailOf(project, state, thread);
    return { document: messages, lines: () => trailLines(messages, state.threads, style) };
  });
}

/** The thread of a word, which is its id or that of one of its messages. */
async function threadOf(project: Project, word: string): Promise<string> {
  const { resolveThread } = await import('../../mail/questions/directory.ts');
  return resolveThread(project, project.journal.state(), word);
}
