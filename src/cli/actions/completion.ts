import { endOfId } from '../../kernel/ids.ts';
import { candidates, scripts, type Candidate } from '../completion.ts';
import type { Context } from '../context.ts';
import type { Project } from '../../operations/project/project.ts';

/** Prints the script that makes a shell call `complete`. */
export function printScript({ terminal }: Context, shell: keyof typeof scripts): Promise<number> {
  terminal.write(scripts[shell]);
  return Promise.resolve(0);
}

/** Answers the shell's request: the candidates for the last word, with descriptions. */
export async function complete(context: Context, words: readonly string[]): Promise<number> {
  const found = await candidates(context.program, words, (what, typed) => names(context, what, typed));
  context.terminal.write(found.map(({ value, about }) => `${value}\t${about}\n`).join(''));
  return 0;
}

/** The matching names; empty for a project that is missing or cannot be read. */
async function names(context: Context, what: string, typed: string): Promise<readonly Candidate[]> {
  try {
    if (what === 'template')
      return (await context.call.templates()).map(({ name, about }) => ({ value: name, about }));
    const root = context.root();
    return root === null ? [] : await namesIn(context.call.openProject(root), what, typed);
  } catch {
    return [];
  }
}

async function namesIn(project: Project, what: string, typed: string): Promise<readonly Candidate[]> {
  const { directoryOf } = await import('../../operations/directory.ts');
  const { aboutRun } = await import('../../operations/targets.ts');
  if (typed.startsWith('@') && takesIds.has(what)) return await entries(project);
  const known = directoryOf(project.state(), project.roles());
  const roles = known.roles.map((value) => ({ value, about: 'role' }));
  const turns = known.turns.map(({ id, about }) => ({ value: id, about }));
  const runs = () => project.workflows.runs().map(aboutRun);
  switch (what) {
    case 'role':
    case 'as':
      return roles;
    case 'type':
      return await types(project);
    case 'thread':
      return ids(known.threads, typed);
    case 'message':
    case 'inReplyTo':
      return ids(known.messages, typed);
    case 'run':
      return ids(runs(), typed);
    case 'gate':
      return await gates(project);
    case 'id':
      return [...ids([...known.messages, ...runs()], typed), ...turns];
    case 'target': {
      const all = { value: 'all', about: 'everything' };
      return [all, ...roles, ...turns, ...ids([...known.threads, ...runs()], typed)];
    }
    default:
      return [];
  }
}

const takesIds: ReadonlySet<string> = new Set(['id', 'run', 'target', 'thread', 'inReplyTo']);

/** Each id by its end; whole if it is typed from its beginning, or if another has the same end. */
function ids(things: readonly { id: string; about: string }[], typed: string): Candidate[] {
  const ends = things.map(({ id }) => endOfId(id));
  return things.map(({ id, about }) => {
    const end = endOfId(id);
    const isShort = end.startsWith(typed) && ends.indexOf(end) === ends.lastIndexOf(end);
    return { value: isShort ? end : id, about: about.replaceAll(/\s+/g, ' ') };
  });
}

/** What waits for people, by the numbers of the inbox. */
async function entries(project: Project): Promise<readonly Candidate[]> {
  const { readInbox } = await import('../../operations/inbox.ts');
  const { items } = await readInbox(project, null);
  return items.map(({ from, type, subject }, index) => ({
    value: `@${String(index + 1)}`,
    about: `${type} from ${from}: ${subject.replaceAll(/\s+/g, ' ')}`,
  }));
}

async function gates(project: Project): Promise<readonly Candidate[]> {
  const { runs } = await project.workflows.status(project.holder());
  return runs.flatMap((run) => run.gates.map(({ gate, message }) => ({ value: gate, about: message })));
}

async function types(project: Project): Promise<readonly Candidate[]> {
  const definition = await project.definition();
  if (!definition.ok) return [];
  return [...definition.value.protocol.types.values()].map(({ name, from, to }) => ({
    value: name,
    about: `${from.join(', ')} → ${to.join(', ')}`,
  }));
}
