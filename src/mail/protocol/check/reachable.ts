import { enumerate } from '../../../kernel/enumerate.ts';
import { builtInRoles } from '../../format/message.ts';
import { isHuman } from '../../format/protocol.ts';
import type { Clause, Role } from '../../format/protocol.ts';
import { isBuiltInType } from './report.ts';
import type { CheckReport } from './report.ts';
import type { RoleName, TypeName } from '../../../kernel/ids.ts';

/**
 * Warns of roles that no chain of messages from people, or from workflow runs, can reach, and of
 * those that get what other roles get and can send nothing.
 */
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
    const places =
      typesFrom(report, role.name).length > 0 ? '' : ' and, to let it send any, under `from` of another';
    const hint = `no role that gets mail can send it a message that it expects: name \`${role.name}\` under \`to\` of a message type${places}, or change its \`expects\``;
    report.problems.push({
      code: 'E_PROTOCOL',
      severity: 'warning',
      path: ['roles', role.name],
      message,
      hint,
    });
  }
  for (const name of reachable) checkMute(report, name);
}

/** A role that was added under `to` beside another one, which sends something. */
function checkMute(report: CheckReport, name: RoleName): void {
  const { protocol } = report;
  const role = protocol.roles.get(name);
  if (role === undefined || isHuman(protocol, name) || (role.kinds ?? []).length > 0) return;
  if (typesFrom(report, name).length > 0) return;
  const beside = [...protocol.types.values()].flatMap(({ to }) => (to.includes(name) ? to : []));
  const model = beside.find((other) => !isHuman(protocol, other) && typesFrom(report, other).length > 0);
  if (model === undefined) return;
  report.problems.push({
    code: 'E_PROTOCOL',
    severity: 'warning',
    path: ['roles', name],
    message: `\`${name}\` gets messages like \`${model}\`, and can send none`,
    hint: `to let it send what \`${model}\` sends, name \`${name}\` under \`from\` of ${enumerate(typesFrom(report, model))}`,
  });
}

function typesFrom({ protocol }: CheckReport, role: RoleName): TypeName[] {
  return [...protocol.types.values()].filter(({ from }) => from.includes(role)).map(({ name }) => name);
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
