import type { Command } from 'commander';
import { emptyState } from '../../mail/machine/state.ts';
import { candidates, type Candidate } from '../completion.ts';
import type { Context } from '../context.ts';
import type { ProjectServices } from '../../operations/services.ts';

/** Answers the shell's request: the candidates for the last word, with descriptions. */
export async function complete(
  program: Command,
  context: Context,
  words: readonly string[],
): Promise<number> {
  const found = await candidates(program, words, (what) => names(context, what));
  context.terminal.write(found.map(({ value, about }) => `${value}\t${about}\n`).join(''));
  return 0;
}

/** The matching names; empty for a project that is missing or cannot be read. */
async function names(context: Context, what: string): Promise<readonly Candidate[]> {
  try {
    if (what === 'template') return context.services.templates().map((value) => ({ value, about: '' }));
    const root = context.root();
    return root === null ? [] : await namesIn(context.services.openProject(root), what);
  } catch {
    return [];
  }
}

async function namesIn(project: ProjectServices, what: string): Promise<readonly Candidate[]> {
  const { directoryOf } = await import('../../operations/directory.ts');
  const state = project.state() ?? emptyState();
  const known = directoryOf(state, project.roles());
  const roles = known.roles.map((value) => ({ value, about: 'role' }));
  const ids = (things: readonly { id: string; about: string }[]) =>
    things.map(({ id, about }) => ({ value: id, about: about.replaceAll(/\s+/g, ' ') }));
  switch (what) {
    case 'role':
    case 'as':
      return roles;
    case 'type':
      return await types(project);
    case 'thread':
      return ids(known.threads);
    case 'message':
    case 'inReplyTo':
      return ids(known.messages);
    case 'id':
      return ids([...known.messages, ...known.turns]);
    case 'target':
      return [{ value: 'all', about: 'everything' }, ...roles, ...ids([...known.turns, ...known.threads])];
    default:
      return [];
  }
}

async function types(project: ProjectServices): Promise<readonly Candidate[]> {
  const definition = await project.definition();
  if (!definition.ok) return [];
  return [...definition.value.protocol.types.values()].map(({ name, from, to }) => ({
    value: name,
    about: `${from.join(', ')} → ${to.join(', ')}`,
  }));
}
