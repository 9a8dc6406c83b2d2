import { isHuman, peopleOf, providersOf, type Role } from '../../format/protocol.ts';
import type { CheckReport } from './report.ts';

/** Checks that a role that asks a person has an agent that can, and that the person exists. */
export function checkAsking(report: CheckReport, role: Role): void {
  if (role.asks === undefined) return;
  const { protocol, context } = report;
  const { person } = role.asks;
  const name = `\`${role.name}\``;
  const path = ['roles', role.name, 'ask'];
  if (report.roleExists(person, path) && protocol.roles.has(person) && !isHuman(protocol, person)) {
    const people = peopleOf(protocol).join(', ');
    report.error(path, `\`${person}\` is not a person`, `name a human role: ${people}`);
  }
  if (isHuman(protocol, role.name))
    return report.error(path, `${name} is a person, and has no agent that could ask`, 'remove `ask`');
  for (const provider of providersOf(role)) {
    const asks = context.askers === null ? true : context.askers.get(provider);
    if (typeof asks === 'string')
      report.problems.push({
        code: 'E_CAPABILITY',
        severity: 'warning',
        path,
        message: `\`ask\` of ${name} may have no effect with \`${provider}\`: ${asks}`,
        hint: 'docs/providers/acp.md says which agents ask',
      });
    if (asks === undefined)
      report.error(
        path,
        `the agents of \`${provider}\` cannot ask a person: what the capabilities of ${name} do not allow is refused`,
        `remove \`ask\`, or give ${name} a provider of the kind \`acp\``,
      );
  }
  if (role.on !== undefined)
    report.error(
      path,
      `${name} works on worker hosts, where no conversation is resumed after an answer`,
      'remove `ask` or `on`',
    );
}
