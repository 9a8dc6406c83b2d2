import { toolsName, withoutServers } from '../../../kernel/mcp.ts';
import { strictHint } from '../../../config/strict.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { isHuman, providersOf } from '../../format/protocol.ts';
import type { Role } from '../../format/protocol.ts';
import type { CheckReport } from './report.ts';
import { enumerate } from '../../../kernel/enumerate.ts';

/**
 * Checks that the provider exists and can enforce the role's permissions. A missing provider is
 * reported elsewhere.
 */
export function checkProvider(report: CheckReport, role: Role): void {
  const path = ['roles', role.name];
  if (role.provider !== '') checkName(report, role.provider, [...path, 'provider']);
  role.fallback.forEach((name, index) => checkName(report, name, [...path, 'fallback', index]));
  for (const provider of providersOf(role)) {
    checkPermissions(report, role, provider);
    checkServers(report, role, provider);
  }
}

/** Checks that the provider's program can use the role's MCP servers. */
function checkServers(report: CheckReport, { name, mcp: own = [], tools }: Role, provider: string): void {
  const { withoutMcp, withoutTools, hasToolsEverywhere } = report.context;
  const wantsTools = tools === true && !hasToolsEverywhere && withoutTools.has(provider);
  const mcp = [...(wantsTools ? [toolsName] : []), ...(withoutMcp.has(provider) ? own : [])];
  const why = withoutMcp.get(provider);
  if (mcp.length === 0 || why === undefined) return;
  report.error(
    ['roles', name, 'mcp'],
    withoutServers(mcp, provider, why),
    `remove \`mcp\`, or give \`${name}\` another provider`,
  );
}

function checkName(report: CheckReport, name: string, path: readonly (string | number)[]): void {
  const { providers } = report.context;
  const isFallback = path.includes('fallback');
  const known = isFallback ? providers.filter((provider) => provider !== 'human') : providers;
  if (known.includes(name)) return;
  const others = `there are ${enumerate(known)}; name your own program under \`providers\` in mailroom.yaml`;
  const hint = didYouMean(name, known) ?? others;
  const message =
    name === 'human' ? 'a person cannot be the fallback of a program' : `no provider is called \`${name}\``;
  report.problems.push({ code: 'E_UNKNOWN_NAME', severity: 'error', path, message, hint });
}

function checkPermissions(report: CheckReport, role: Role, provider: string): void {
  const { broaderThanRequested, strict } = report.context;
  const path = ['roles', role.name];
  const permissions = broaderThanRequested.get(provider)?.(role.capabilities) ?? [];
  if (permissions.length === 0) return;
  const message = `\`${provider}\` cannot hold \`${role.name}\` to its capabilities: ${permissions.join('; ')}`;
  report.problems.push({
    code: 'E_CAPABILITY',
    severity: strict ? 'error' : 'warning',
    path: [...path, 'capabilities'],
    message,
    hint: strict ? strictHint : null,
  });
}

/** A limited budget is reserved before it is spent, so every agent needs a budget of its own. */
export function checkBudget(report: CheckReport, role: Role): void {
  if (isHuman(report.protocol, role.name)) return;
  const { threadBudget, dayBudget } = report.protocol.limits;
  const units = (['usd', 'tokens'] as const).filter(
    (unit) =>
      (threadBudget[unit] !== null || dayBudget[unit] !== null) && (role.budget?.[unit] ?? null) === null,
  );
  if (units.length === 0) return;
  const message = `\`limits\` bounds ${units.join(' and ')}, and the role \`${role.name}\` has no such budget`;
  const budget = units.map((unit) => `${unit}: …`).join(', ');
  report.error(
    ['roles', role.name],
    message,
    `give the role, or \`defaults\` in mailroom.yaml, \`budget: { ${budget} }\``,
  );
}

/** Checks that the types that a role expects exist and can reach it. */
export function checkExpects(report: CheckReport, role: Role): void {
  for (const [index, clause] of role.expects.entries()) {
    for (const [position, name] of clause.types.entries()) {
      const path = ['expects', role.name, index, clause.kind, position];
      if (!report.typeExists(name, path)) continue;
      const type = report.protocol.types.get(name);
      if (type === undefined || report.isUncertain(type)) continue;
      if (type.to.includes(role.name) || type.escalateTo === role.name) continue;
      report.error(
        path,
        `\`${name}\` never comes to \`${role.name}\``,
        `let \`to\` of \`${name}\` name \`${role.name}\``,
      );
    }
  }
}

/** Checks that a role with a branch of its own has a name that git accepts in one. */
export function checkBranch(report: CheckReport, { name }: Role): void {
  const { workspace } = report.protocol;
  if (workspace.kind !== 'worktree' || workspace.per !== 'role') return;
  if (!/\.\.|\.$|\.lock$/.test(name)) return;
  report.error(
    ['roles', name],
    `git accepts no branch for the role \`${name}\`, as \`workspace: { worktree: role }\` needs`,
    'use a name without `..` that does not end in `.` or `.lock`',
  );
}

/** Checks that what a role needs can travel to a worker host. */
export function checkWorkers(report: CheckReport, role: Role): void {
  if (role.on === undefined) return;
  const { workspace } = report.protocol;
  const name = `\`${role.name}\``;
  const error = (key: string, message: string, hint: string): void =>
    report.error(['roles', role.name, key], message, hint);
  if (isHuman(report.protocol, role.name))
    error('on', `${name} is a person, and has no turns that could run on a worker`, 'remove `on`');
  else if (!report.context.hasWorkers)
    error(
      'on',
      `${name} works on worker hosts, and mailroom.yaml has no \`workers\``,
      'add `workers: { queue: redis://… }` to mailroom.yaml',
    );
  else if (workspace.kind !== 'worktree' || workspace.per !== 'role')
    error(
      'on',
      `${name} works on worker hosts, and shares its workspace with other roles`,
      'set `workspace: { worktree: role }`, so that its work travels by git',
    );
  if (role.session === 'thread')
    error(
      'session',
      `${name} works on worker hosts, and a conversation stays on the host that had it`,
      'set `session: fresh`',
    );
}
