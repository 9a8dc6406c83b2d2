import type { ErrorCode } from '../errors.ts';
import type { Json } from '../json.ts';
import { didYouMean } from '../nearest.ts';
import { builtInRoles, builtInTypes } from './message.ts';
import type { RoleName, TypeName } from './message.ts';
import { isHuman } from './protocol.ts';
import type { Capability, Clause, FieldType, MessageType, Protocol, Role } from './protocol.ts';

/**
 * Something in a protocol that cannot work. The path leads to it in a protocol file as people write it: `roles`,
 * `messages` and `expects` by name, `start`; where several files or keys say the same, the caller knows which.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint: string | null;
}

/** What the checks need to know besides the protocol. */
export interface CheckContext {
  /** Roles and types that are defined, but so badly that they are not in the protocol: nothing is concluded from them. */
  readonly broken: { readonly roles: ReadonlySet<RoleName>; readonly types: ReadonlySet<TypeName> };
  /** Every name that a role may give as its provider. */
  readonly providers: readonly string[];
  /** By provider: the rights that an agent has although the role does not, in words. A provider that is not here is exact. */
  readonly widened: ReadonlyMap<string, (capabilities: readonly Capability[]) => readonly string[]>;
  /** Whether a widened right is an error. */
  readonly strict: boolean;
}

/**
 * Everything that is wrong with a protocol whose parts are well formed by themselves. The names in it need not exist: that
 * is the first thing to be checked, and what follows from a name that does not exist is not reported again.
 */
export function checkProtocol(protocol: Protocol, context: CheckContext): Problem[] {
  const checker = new Checker(protocol, context);
  for (const type of protocol.types.values()) {
    checker.checkNames(type);
    checker.checkFields(type);
    if (type.reply.length === 0) checker.checkNoRequest(type);
    else checker.checkRequest(type);
    checker.checkAccepted(type);
  }
  for (const role of protocol.roles.values()) {
    checker.checkProvider(role);
    checker.checkBudget(role);
    checker.checkExpects(role);
  }
  checker.checkStart();
  checker.checkAwake();
  return checker.problems;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

class Checker {
  readonly problems: Problem[] = [];
  private readonly protocol: Protocol;
  private readonly context: CheckContext;
  private readonly replies: ReadonlySet<TypeName>;

  constructor(protocol: Protocol, context: CheckContext) {
    this.protocol = protocol;
    this.context = context;
    this.replies = new Set([...protocol.types.values()].flatMap((type) => type.reply));
  }

  private error(path: Problem['path'], message: string, hint: string | null = null): void {
    this.problems.push({ code: 'E_PROTOCOL', severity: 'error', path, message, hint });
  }

  private unknown(path: Problem['path'], what: string, name: string, known: readonly string[]): void {
    const hint = didYouMean(name, known) ?? `there are ${list(known)}`;
    this.problems.push({
      code: 'E_UNKNOWN_NAME',
      severity: 'error',
      path,
      message: `no ${what} is called \`${name}\``,
      hint,
    });
  }

  /* -------------------------------------------------------------- names */

  private roleExists(name: RoleName, path: Problem['path']): boolean {
    const known = [...this.protocol.roles.keys(), ...this.context.broken.roles];
    if (known.includes(name) || (builtInRoles as readonly string[]).includes(name)) return true;
    this.unknown(path, 'role', name, [...new Set([...known, ...builtInRoles])]);
    return false;
  }

  private typeExists(name: TypeName, path: Problem['path']): boolean {
    const known = [...this.protocol.types.keys(), ...this.context.broken.types];
    if (known.includes(name) || (builtInTypes as readonly string[]).includes(name)) return true;
    this.unknown(path, 'message type', name, known.length === 0 ? builtInTypes : known);
    return false;
  }

  checkNames(type: MessageType): void {
    const path = ['messages', type.name];
    type.from.forEach((role, index) => this.roleExists(role, [...path, 'from', index]));
    type.to.forEach((role, index) => this.roleExists(role, [...path, 'to', index]));
    type.reply.forEach((reply, index) => this.typeExists(reply, [...path, 'reply', index]));
    this.roleExists(type.escalateTo, [...path, 'escalate_to']);
  }

  /* -------------------------------------------------------------- requests */

  /** What only a request can have. */
  checkNoRequest(type: MessageType): void {
    const given: readonly (readonly [string, boolean])[] = [
      ['blocking', type.blocking !== 'none'],
      ['timeout', type.timeout !== null],
      ['on_timeout', type.onTimeout !== 'fail'],
      ['escalate_to', type.escalateTo !== 'user'],
    ];
    for (const [key, wrong] of given) {
      if (!wrong) continue;
      const message = `\`${key}\` without \`reply\`: nothing answers \`${type.name}\`, so nothing can wait`;
      this.error(['messages', type.name, key], message, 'name the types that answer it under `reply`');
    }
  }

  checkRequest(type: MessageType): void {
    const replies = type.reply.flatMap((reply) => this.protocol.types.get(reply) ?? []);
    for (const [index, reply] of type.reply.entries()) {
      if (!(builtInTypes as readonly string[]).includes(reply)) continue;
      this.error(
        ['messages', type.name, 'reply', index],
        `\`${reply}\` is built in: no role may send it as an answer`,
      );
    }
    // A reply that does not exist is reported; what it would have allowed is not known.
    if (replies.length < type.reply.length) return;
    const useless = replies.filter((reply, index) => !this.checkReply(type, reply, index));
    if (useless.length < replies.length) this.checkAnswerable(type, replies);
    this.checkEscalation(type, replies);
    this.checkExpected(type);
  }

  /** Whether somebody who gets the request may send this reply to somebody who sent it. */
  private checkReply(type: MessageType, reply: MessageType, index: number): boolean {
    const path = ['messages', type.name, 'reply', index];
    const mayAnswer = [...type.to, type.escalateTo];
    const sent = reply.from.some((role) => mayAnswer.includes(role));
    const comes = reply.to.some((role) => type.from.includes(role));
    if (!sent) {
      const message = `nobody who gets \`${type.name}\` may send \`${reply.name}\``;
      this.error(path, message, `let \`from\` of \`${reply.name}\` name ${list(type.to)}`);
    }
    if (!comes) {
      const message = `\`${reply.name}\` cannot go to anybody who sends \`${type.name}\``;
      this.error(path, message, `let \`to\` of \`${reply.name}\` name ${list(type.from)}`);
    }
    return sent && comes;
  }

  private checkAnswerable(type: MessageType, replies: readonly MessageType[]): void {
    for (const [index, recipient] of type.to.entries()) {
      const unanswered = type.from.filter(
        (asker) => asker !== recipient && !mayAnswer(replies, recipient, asker),
      );
      if (unanswered.length === 0) continue;
      const message = `\`${recipient}\` may get \`${type.name}\` from ${list(unanswered)}, and may not answer it`;
      const hint = `let one of ${list(type.reply)} go from \`${recipient}\` to ${list(unanswered)}`;
      this.error(['messages', type.name, 'to', index], message, hint);
    }
  }

  private checkEscalation(type: MessageType, replies: readonly MessageType[]): void {
    if (type.onTimeout !== 'escalate' || maySettle(type, replies)) return;
    const message = `\`${type.escalateTo}\` may not answer \`${type.name}\`, so it cannot be escalated to it`;
    const hint = `let one of ${list(type.reply)} go from \`${type.escalateTo}\` to ${list(type.from)}`;
    this.error(['messages', type.name, 'on_timeout'], message, hint);
  }

  /** A recipient that does not expect a request would never answer it. */
  private checkExpected(type: MessageType): void {
    for (const [index, recipient] of type.to.entries()) {
      const role = this.protocol.roles.get(recipient);
      if (role === undefined || isHuman(this.protocol, recipient) || takesUp(role, type.name)) continue;
      const message = `\`${recipient}\` does not expect \`${type.name}\`, so it would never answer it`;
      this.error(
        ['messages', type.name, 'to', index],
        message,
        `name it under \`expects\` of \`${recipient}\``,
      );
    }
  }

  /** A type that lies in inboxes for ever. Replies are taken up with the wait that they end. */
  checkAccepted(type: MessageType): void {
    if (type.reply.length > 0 || this.replies.has(type.name)) return;
    const accepted = type.to.some((recipient) => {
      const role = this.protocol.roles.get(recipient);
      return role === undefined || isHuman(this.protocol, recipient) || takesUp(role, type.name);
    });
    if (accepted) return;
    const hint = `name it under \`expects\` of ${list(type.to)}`;
    this.error(
      ['messages', type.name],
      `nobody accepts \`${type.name}\`: no role that gets it expects it`,
      hint,
    );
  }

  /* -------------------------------------------------------------- fields */

  checkFields(type: MessageType): void {
    for (const [name, field] of Object.entries(type.fields)) {
      const path = ['messages', type.name, 'fields', name];
      for (const [index, value] of (field.enum ?? []).entries()) {
        if (!fits(field, value))
          this.misfit([...path, 'enum', index], value, `is not of the type ${field.type}`);
      }
      if (field.default === null) continue;
      if (!fits(field, field.default))
        this.misfit([...path, 'default'], field.default, `is not of the type ${field.type}`);
      else if (
        field.enum !== null &&
        !field.enum.some((value) => JSON.stringify(value) === JSON.stringify(field.default))
      ) {
        this.misfit([...path, 'default'], field.default, 'is not one of the values of `enum`');
      }
    }
  }

  private misfit(path: Problem['path'], value: Json, why: string): void {
    this.problems.push({
      code: 'E_VALUE',
      severity: 'error',
      path,
      message: `\`${JSON.stringify(value)}\` ${why}`,
      hint: null,
    });
  }

  /* -------------------------------------------------------------- roles */

  checkProvider(role: Role): void {
    const path = ['roles', role.name];
    if (!this.context.providers.includes(role.provider)) {
      const known = this.context.providers;
      const hint =
        didYouMean(role.provider, known) ??
        `there are ${list(known)}; name a program of yours under \`providers\` in mailroom.yaml`;
      const message = `no provider is called \`${role.provider}\``;
      this.problems.push({
        code: 'E_UNKNOWN_NAME',
        severity: 'error',
        path: [...path, 'provider'],
        message,
        hint,
      });
    }
    const widened = this.context.widened.get(role.provider)?.(role.capabilities) ?? [];
    if (widened.length === 0) return;
    const message = `\`${role.provider}\` cannot hold \`${role.name}\` to its capabilities: ${widened.join('; ')}`;
    const severity = this.context.strict ? 'error' : 'warning';
    const hint = this.context.strict ? '`capabilities: strict` in mailroom.yaml refuses this' : null;
    this.problems.push({ code: 'E_CAPABILITY', severity, path: [...path, 'capabilities'], message, hint });
  }

  /** Money that is limited must be reserved before it is spent, so every agent must say how much. */
  checkBudget(role: Role): void {
    if (isHuman(this.protocol, role.name)) return;
    const { threadBudget, dayBudget } = this.protocol.limits;
    const units = (['usd', 'tokens'] as const).filter(
      (unit) =>
        (threadBudget[unit] !== null || dayBudget[unit] !== null) && (role.budget?.[unit] ?? null) === null,
    );
    if (units.length === 0) return;
    const message = `\`limits\` bounds ${units.join(' and ')}, and the role \`${role.name}\` has no such budget`;
    const budget = units.map((unit) => `${unit}: …`).join(', ');
    const hint = `give the role \`budget: { ${budget} }\`, or \`defaults\` in mailroom.yaml`;
    this.error(['roles', role.name], message, hint);
  }

  checkExpects(role: Role): void {
    for (const [index, clause] of role.expects.entries()) {
      for (const [position, name] of clause.types.entries()) {
        const path = ['expects', role.name, index, clause.kind, position];
        if (!this.typeExists(name, path)) continue;
        const type = this.protocol.types.get(name);
        if (type === undefined || type.to.includes(role.name) || type.escalateTo === role.name) continue;
        const hint = `let \`to\` of \`${name}\` name \`${role.name}\``;
        this.error(path, `\`${name}\` never comes to \`${role.name}\``, hint);
      }
    }
  }

  checkStart(): void {
    const { start } = this.protocol;
    if (start === null) return;
    const roleExists = this.roleExists(start.to, ['start', 'to']);
    if (!this.typeExists(start.type, ['start', 'type']) || !roleExists) return;
    const type = this.protocol.types.get(start.type);
    if (type === undefined && this.context.broken.types.has(start.type)) return;
    if (type !== undefined && type.from.includes('user') && type.to.includes(start.to)) return;
    const message = `\`user\` may not send \`${start.type}\` to \`${start.to}\``;
    const hint = `let \`${start.type}\` go from \`user\` to \`${start.to}\``;
    this.error(['start', 'type'], message, type === undefined ? null : hint);
  }

  /* -------------------------------------------------------------- who is ever woken */

  /** Warns of roles that no chain of messages from people, or from runs, ever reaches. */
  checkAwake(): void {
    const awake = new Set<RoleName>([...builtInRoles, ...this.context.broken.roles]);
    let asleep = [...this.protocol.roles.values()];
    for (let before = -1; before !== awake.size;) {
      before = awake.size;
      for (const role of asleep) {
        const woken =
          isHuman(this.protocol, role.name) || role.expects.some((clause) => this.comes(clause, role, awake));
        if (woken) awake.add(role.name);
      }
      asleep = asleep.filter((role) => !awake.has(role.name));
    }
    for (const role of asleep) {
      const message = `nothing can wake \`${role.name}\`, unless a workflow does`;
      const hint = 'no message that it expects can come from `user`, or from a role that is woken itself';
      this.problems.push({
        code: 'E_PROTOCOL',
        severity: 'warning',
        path: ['roles', role.name],
        message,
        hint,
      });
    }
  }

  private comes(clause: Clause, role: Role, awake: ReadonlySet<RoleName>): boolean {
    const arrives = (name: TypeName): boolean => {
      const type = this.protocol.types.get(name);
      if (type === undefined) return !(builtInTypes as readonly string[]).includes(name);
      const addressed = type.to.includes(role.name) || type.escalateTo === role.name;
      return addressed && type.from.some((sender) => awake.has(sender));
    };
    return clause.kind === 'any' ? clause.types.some(arrives) : clause.types.every(arrives);
  }
}

function takesUp(role: Role, type: TypeName): boolean {
  return role.expects.some((clause) => clause.types.includes(type));
}

function mayAnswer(replies: readonly MessageType[], from: RoleName, to: RoleName): boolean {
  return replies.some((reply) => reply.from.includes(from) && reply.to.includes(to));
}

/** Whether the role that a request is escalated to may answer everybody else who may send it. */
export function maySettle(
  type: Pick<MessageType, 'from' | 'escalateTo'>,
  replies: readonly MessageType[],
): boolean {
  const askers = type.from.filter((asker) => asker !== type.escalateTo);
  return askers.length > 0 && askers.every((asker) => mayAnswer(replies, type.escalateTo, asker));
}

function fits(field: FieldType, value: Json): boolean {
  switch (field.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === field.type;
    case 'integer':
      return Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}
