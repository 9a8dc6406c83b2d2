import { addRole } from '../../project/add-role.ts';
import type { Context } from '../context.ts';
import { wroteLines } from '../format.ts';
import { answer, type AsJson } from '../output.ts';

/** Adds a role to the protocol, and prints what makes it part of the work. */
export async function add(context: Context, _what: 'role', name: string, options: AsJson): Promise<number> {
  context.outsideTurn('add');
  const { terminal } = context;
  const project = context.project();
  context.announce();
  const { protocol, written } = await addRole(project, name);
  return answer(terminal, options, { schema: 1, role: name, written }, () => [
    ...wroteLines(written, terminal.colours),
    '',
    'It may read, and gets no mail yet. Next:',
    `  1. say what it does in agents/${name}/role.md`,
    `  2. name it in ${protocol}, under \`to\` and \`from\` of the messages that it gets and sends`,
    '  3. `mailroom check`',
    '  4. start `mailroom up` again: it works by the protocol of its start',
  ]);
}
