import { builtInRoles } from '../message.ts';
import type { RoleName, TypeName } from '../message.ts';
import { isHuman } from '../protocol.ts';
import type { Clause, Role } from '../protocol.ts';
import { isBuiltInType } from './scene.ts';
import type { Scene } from './scene.ts';

/** Warns of roles that no chain of messages from people, or from runs of workflows, ever reaches. */
export function checkAwake(scene: Scene): void {
  const awake = new Set<RoleName>(builtInRoles);
  let asleep = [...scene.protocol.roles.values()];
  for (let before = -1; before !== awake.size;) {
    before = awake.size;
    for (const role of asleep) {
      // Tasks of workflows are all that some roles are there for.
      const isThere = isHuman(scene.protocol, role.name) || (role.kinds ?? []).length > 0;
      if (isThere || role.expects.some((clause) => isMet(scene, clause, role, awake))) awake.add(role.name);
    }
    asleep = asleep.filter((role) => !awake.has(role.name));
  }
  for (const role of asleep) {
    const message = `nothing can wake \`${role.name}\`, unless a workflow does`;
    const hint = 'no message that it expects can come from `user`, or from a role that is woken itself';
    scene.problems.push({
      code: 'E_PROTOCOL',
      severity: 'warning',
      path: ['roles', role.name],
      message,
      hint,
    });
  }
}

/** Whether everything that the clause asks for can come from those who are awake. */
function isMet(scene: Scene, clause: Clause, role: Role, awake: ReadonlySet<RoleName>): boolean {
  const arrives = (name: TypeName): boolean => {
    const type = scene.protocol.types.get(name);
    // Built-in mail comes from workflows, or is news of something that a role did itself.
    if (type === undefined) return !isBuiltInType(name);
    const addressed = type.to.includes(role.name) || type.escalateTo === role.name;
    return addressed && type.from.some((sender) => awake.has(sender));
  };
  return clause.kind === 'any' ? clause.types.some(arrives) : clause.types.every(arrives);
}
