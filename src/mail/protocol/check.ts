import { landsOnCheckedOut } from '../../kernel/work.ts';
import { checkAwake } from './check/reachable.ts';
import { checkNoRequest, checkRequest, takesUp } from './check/requests.ts';
import { checkAsking } from './check/asking.ts';
import { checkBranch, checkBudget, checkExpects, checkProvider, checkWorkers } from './check/roles.ts';
import { CheckReport } from './check/report.ts';
import { checkOpens } from './check/sub-threads.ts';
import type { CheckContext, Problem, ProblemPath } from './check/report.ts';
import { isHuman, recipientPath } from '../format/protocol.ts';
import type { MessageType, Protocol } from '../format/protocol.ts';
import type { TypeName } from '../../kernel/ids.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import type { Json } from '../../kernel/json.ts';
import { isAmong, isOfKind } from '../../kernel/value-kind.ts';

export { isAskedAlready, maySettle } from './check/requests.ts';
export type { CheckContext, Problem } from './check/report.ts';

/**
 * All errors of a protocol whose parts are well formed. Checks first that the names in it exist,
 * and does not report the consequences of a missing name again.
 */
export function checkProtocol(protocol: Protocol, context: CheckContext): Problem[] {
  const report = new CheckReport(protocol, context);
  const replies = new Set([...protocol.types.values()].flatMap((type) => type.reply));
  for (const type of protocol.types.values()) {
    checkNames(report, type);
    checkFields(report, type);
    checkGates(report, type);
    if (type.reply.length === 0) checkNoRequest(report, type);
    else checkRequest(report, type);
    checkAccepted(report, type, replies);
    checkLands(report, type);
    checkOpens(report, type, replies);
  }
  for (const role of protocol.roles.values()) {
    checkProvider(report, role);
    checkBranch(report, role);
    checkWorkers(report, role);
    checkAsking(report, role);
    checkBudget(report, role);
    checkExpects(report, role);
  }
  checkStart(report);
  // Which roles are reachable depends on everything else.
  const { broken, incomplete } = context;
  const isWhole = broken.roles.size === 0 && broken.types.size === 0 && !incomplete;
  if (isWhole && !report.problems.some((problem) => problem.severity === 'error')) checkAwake(report);
  return report.problems;
}

function checkNames(report: CheckReport, type: MessageType): void {
  const path = ['messages', type.name];
  type.from.forEach((role, index) => report.roleExists(role, [...path, 'from', index]));
  type.to.forEach((role, index) => report.roleExists(role, recipientPath(type, index)));
  type.reply.forEach((reply, index) => report.typeExists(reply, [...path, 'reply', index]));
  report.roleExists(type.escalateTo, [...path, 'escalate_to']);
}

/**
 * A type whose messages no role would ever pick up. Replies are picked up with the wait that they
 * end.
 */
function checkAccepted(report: CheckReport, type: MessageType, replies: ReadonlySet<TypeName>): void {
  const { broken, incomplete } = report.context;
  if (type.reply.length > 0 || replies.has(type.name) || broken.types.size > 0 || incomplete) return;
  const accepted = type.to.some((recipient) => {
    const role = report.protocol.roles.get(recipient);
    return role === undefined || isHuman(report.protocol, recipient) || takesUp(report, role, type);
  });
  if (accepted) return;
  const message = `no role accepts \`${type.name}\`: no recipient expects it`;
  report.error(['messages', type.name], message, `name it under \`expects\` of ${enumerate(type.to)}`);
}

/** Only roles with branches of their own have work to merge. */
function checkGates(report: CheckReport, { name, checks }: MessageType): void {
  const { workspace } = report.protocol;
  if (workspace.kind === 'worktree' && workspace.per === 'role') return;
  for (const [index, check] of checks.entries())
    if (check.kind === 'run' && check.on === 'merged')
      report.error(
        ['messages', name, 'gates', index, 'on'],
        'roles without branches of their own have no work to merge',
        'give `workspace: { worktree: role }`, or leave `on` out',
      );
}

/** Only the last message of a thread lands work, and only roles with a branch have some. */
function checkLands(report: CheckReport, type: MessageType): void {
  if (type.lands === null) return;
  const { workspace } = report.protocol;
  const path = ['messages', type.name, 'lands'];
  if (workspace.kind !== 'worktree' || workspace.per !== 'role')
    report.error(
      path,
      'work lands only from branches of roles, and here roles have none',
      'set `workspace: { worktree: role }`',
    );
  if (!type.closes)
    report.error(
      path,
      `\`${type.name}\` lands its work, and does not end the thread`,
      `set \`closes: true\` for \`${type.name}\``,
    );
  const people = type.from.filter((role) => isHuman(report.protocol, role));
  if (people.length > 0)
    report.error(
      path,
      `${enumerate(people)} has no branch whose work could land`,
      'let it come only from roles with an agent',
    );
  const { branch, approval } = type.lands;
  if (branch !== report.context.checkedOut || approval) return;
  const { message, hint } = landsOnCheckedOut(
    `\`${type.name}\``,
    branch,
    `, or list \`${branch}\` in \`protected\` of mailroom.yaml, so that a person approves each landing`,
  );
  report.problems.push({ code: 'E_LANDS', severity: 'warning', path, message, hint });
}

/** The values of `enum` and `default` have the field's own type. */
function checkFields(report: CheckReport, type: MessageType): void {
  for (const [name, field] of Object.entries(type.fields)) {
    const path = ['messages', type.name, 'fields', name];
    const refuse = (at: ProblemPath, value: Json, why: string): void => {
      const message = `\`${JSON.stringify(value)}\` ${why}`;
      report.problems.push({
        code: 'E_VALUE',
        severity: 'error',
        path: [...path, ...at],
        message,
        hint: null,
      });
    };
    const misfit = `is not of the type ${field.type}`;
    for (const [index, value] of (field.enum ?? []).entries())
      if (!isOfKind(value, field.type)) refuse(['enum', index], value, misfit);
    if (field.default === null) continue;
    if (!isOfKind(field.default, field.type)) refuse(['default'], field.default, misfit);
    else if (!isAmong(field.default, field.enum))
      refuse(['default'], field.default, 'is not one of the values of `enum`');
  }
}

function checkStart(report: CheckReport): void {
  const { start, types } = report.protocol;
  if (start === null) return;
  const roleExists = report.roleExists(start.to, ['start', 'to']);
  if (!report.typeExists(start.type, ['start', 'type']) || !roleExists) return;
  const type = types.get(start.type);
  if (report.context.broken.types.has(start.type) || (type !== undefined && report.isUncertain(type))) return;
  const isSent = type?.from.some((role) => isHuman(report.protocol, role)) === true;
  if (isSent && type.to.includes(start.to)) return;
  const message = `no person may send \`${start.type}\` to \`${start.to}\``;
  const hint =
    type === undefined
      ? null
      : `let \`${start.type}\` go from \`user\`, or another person, to \`${start.to}\``;
  report.error(['start', 'type'], message, hint);
}
