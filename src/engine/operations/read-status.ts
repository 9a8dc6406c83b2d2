import type { RoleName } from '../../core/mail/message.ts';
import type { Protocol } from '../../core/mail/protocol.ts';
import { emptyState, type MailState } from '../../core/mail/state.ts';
import { expectedNow } from '../draw.ts';
import type { Project } from './project.ts';
import { statusOf, type StatusDocument } from './status.ts';

/** The status of a project as its files tell it; a protocol that cannot be read is one of the problems. */
export async function readStatus(project: Project, now: number): Promise<StatusDocument> {
  const holder = project.holder();
  const state = project.state() ?? emptyState();
  const definition = await project.definition();
  const protocol = definition.ok ? definition.value.protocol : null;
  const problems = definition.ok ? [] : [unreadable(definition.problems.length)];
  const dropped = holder === null ? droppedMail(project, state, protocol) : new Map<RoleName, number>();
  return statusOf(state, { holder, protocol, hash: project.hash(), dropped, problems, now });
}

function unreadable(count: number): string {
  return `the protocol has ${String(count)} problem${count === 1 ? '' : 's'}; \`mailroom check\` shows what is wrong`;
}

/** Without a controller, what was dropped is not yet mail; it waits all the same. */
function droppedMail(project: Project, state: MailState, protocol: Protocol | null): Map<RoleName, number> {
  const expected = expectedNow(state);
  const count = (role: RoleName) =>
    project.mail(role, 'inbox').filter(({ name }) => !(expected.get(role)?.has(name) ?? false)).length;
  const roles = protocol?.roles.keys() ?? project.roles();
  return new Map([...roles].map((role) => [role, count(role)] as const));
}
