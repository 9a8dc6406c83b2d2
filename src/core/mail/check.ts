import { checkAwake } from './check/awake.ts';
import { checkFields } from './check/fields.ts';
import { checkNoRequest, checkRequest, takesUp } from './check/requests.ts';
import { checkBudget, checkExpects, checkProvider } from './check/roles.ts';
import { list, Scene } from './check/scene.ts';
import type { CheckContext, Problem } from './check/scene.ts';
import type { TypeName } from './message.ts';
import { isHuman } from './protocol.ts';
import type { MessageType, Protocol } from './protocol.ts';

export { maySettle } from './check/requests.ts';
export type { CheckContext, Problem } from './check/scene.ts';

/**
 * Everything that is wrong with a protocol whose parts are well formed by themselves. The names in it need not exist: that
 * is the first thing to be checked, and what follows from a name that does not exist is not reported again.
 */
export function checkProtocol(protocol: Protocol, context: CheckContext): Problem[] {
  const scene = new Scene(protocol, context);
  const replies = new Set([...protocol.types.values()].flatMap((type) => type.reply));
  for (const type of protocol.types.values()) {
    checkNames(scene, type);
    checkFields(scene, type);
    if (type.reply.length === 0) checkNoRequest(scene, type);
    else checkRequest(scene, type);
    checkAccepted(scene, type, replies);
  }
  for (const role of protocol.roles.values()) {
    checkProvider(scene, role);
    checkBudget(scene, role);
    checkExpects(scene, role);
  }
  checkStart(scene);
  // Who is woken depends on everything else.
  const whole = context.broken.roles.size === 0 && context.broken.types.size === 0;
  if (whole && !scene.problems.some((problem) => problem.severity === 'error')) checkAwake(scene);
  return scene.problems;
}

function checkNames(scene: Scene, type: MessageType): void {
  const path = ['messages', type.name];
  type.from.forEach((role, index) => scene.roleExists(role, [...path, 'from', index]));
  type.to.forEach((role, index) => scene.roleExists(role, [...path, 'to', index]));
  type.reply.forEach((reply, index) => scene.typeExists(reply, [...path, 'reply', index]));
  scene.roleExists(type.escalateTo, [...path, 'escalate_to']);
}

/** A type that would lie in inboxes for ever. Replies are taken up with the wait that they end. */
function checkAccepted(scene: Scene, type: MessageType, replies: ReadonlySet<TypeName>): void {
  if (type.reply.length > 0 || replies.has(type.name) || scene.context.broken.types.size > 0) return;
  const accepted = type.to.some((recipient) => {
    const role = scene.protocol.roles.get(recipient);
    return role === undefined || isHuman(scene.protocol, recipient) || takesUp(scene, role, type);
  });
  if (accepted) return;
  const message = `nobody accepts \`${type.name}\`: no role that gets it expects it`;
  scene.error(['messages', type.name], message, `name it under \`expects\` of ${list(type.to)}`);
}

function checkStart(scene: Scene): void {
  const { start, types } = scene.protocol;
  if (start === null) return;
  const roleExists = scene.roleExists(start.to, ['start', 'to']);
  if (!scene.typeExists(start.type, ['start', 'type']) || !roleExists) return;
  const type = types.get(start.type);
  if (scene.context.broken.types.has(start.type) || (type !== undefined && scene.isDoubtful(type))) return;
  if (type !== undefined && type.from.includes('user') && type.to.includes(start.to)) return;
  const message = `\`user\` may not send \`${start.type}\` to \`${start.to}\``;
  const hint = type === undefined ? null : `let \`${start.type}\` go from \`user\` to \`${start.to}\``;
  scene.error(['start', 'type'], message, hint);
}
