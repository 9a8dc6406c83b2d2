import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { json, watch } from '../output.ts';
import type { Project } from '../../operations/project/project.ts';
import { trailLines } from '../trail-text.ts';

interface TrailOptions {
  readonly full?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export async function trail(context: Context, word: string | null, options: TrailOptions): Promise<number> {
  const { trailOf } = await import('../../operations/messages.ts');
  const { terminal } = context;
  const project = context.project();
  const thread = word === null ? null : await threadOf(project, await idOf(context, word, ['thread']));
  const show = async () => {
    const state = project.state();
    const messages = trailOf(project, state, thread);
    if (options.json === true) return json(messages);
    const full = options.full === true;
    return `${trailLines(messages, state.threads, { full, colours: terminal.colours }).join('\n')}\n`;
  };
  const print = options.json === true ? terminal.write : terminal.print;
  if (options.watch === true) return await watch(terminal, project, show, print);
  print(await show());
  return 0;
}

/** The thread of a word, which is its id or that of one of its messages. */
async function threadOf(project: Project, word: string): Promise<string> {
  const { resolveThread } = await import('../../operations/directory.ts');
  return resolveThread(project, project.state(), word);
}
