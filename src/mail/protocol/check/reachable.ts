import { builtInRoles } from '../../format/message.ts';
import { isHuman } from '../../format/protocol.ts';
import type { Clause, Role } from '../../format/protocol.ts';
import { isBuiltInType } from './report.ts';
import type { CheckReport } from './report.ts';
import type { RoleName, TypeName } from '../../../kernel/ids.ts';

/** Warns of roles that no chain of messages from people, or from workflow runs, can reach. */
export function checkAwake(report: CheckReport): void {
  const reachable = new Set<RoleName>(builtInRoles);
  let asleep = [...report.protocol.roles.values()];
  for (let before = -1; before !== reachable.size;) {
    before = reachable.size;
    for (const role of asleep) {
      // Some roles exist only for tasks of workflows.
      const isThere = isHuman(report.protocol, role.name) || (role.kinds ?? []).length > 0;
      if (isThere || role.expects.some((clause) => isMet(report, clause, role, reachable)))
        reachable.add(role.name);
    }
    asleep = asleep.filter((role) => !reachable.has(role.name));
  }
  for (const role of asleep) {
    const message = `nothing can wake \`${role.name}\`, unless a workflow does`;
    const sends = [...report.protocol.types.values()].some(({ from }) => from.includes(role.name));
    const places = sends ? '' : ' and, to let it send any, under `from` of another';
    const hint = `no role that gets mail can send it a message that it expects: name \`${role.name}\` under \`to\` of a message type${places}, or change its \`expects\``;
    report.problems.push({
      code: 'E_PROTOCOL',
      severity: 'warning',
      path: ['roles', role.name],
      message,
      hint,
    });
  }
}

/** Whether every message that the clause needs can come from a reachable role. */
function isMet(report: CheckReport, clause: Clause, role: Role, reached: ReadonlySet<RoleName>): boolean {
  const arrives = (name: TypeName): boolean => {
    const type = report.protocol.types.get(name);
    // Built-in mail comes from workflows, or reports on something that the role itself did.
    if (type === undefined) return !isBuiltInType(name);
    const addressed = type.to.includes(role.name) || type.escalateTo === role.name;
    return addressed && type.from.some((sender) => reached.has(sender));
  };
  return clause.kind === 'any' ? clause.types.some(arrives) : clause.types.every(arrives);
}
