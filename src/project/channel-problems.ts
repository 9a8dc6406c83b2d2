import { requiredVariables } from '../config/channels.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import { isJsonObject, valueAt, type Json, type Path } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { ownValue } from '../kernel/own.ts';
import { isHuman, type Protocol } from '../mail/format/protocol.ts';
import { parseYaml } from '../yaml/yaml.ts';

type Problem = Omit<Diagnostic, 'place'> & { readonly path: Path };

/**
 * What does not fit in the channels of mailroom.yaml, whose text this is: roles that do not exist
 * or are not people, and as warnings variables that are not set here.
 */
export function channelProblems(
  text: string,
  { channels }: Pick<Config, 'channels'>,
  protocol: Protocol,
  environment: Readonly<Record<string, string | undefined>>,
): Diagnostic[] {
  const problems = [...channels.values()].flatMap((channel) => [
    ...peopleProblems(channel, protocol),
    ...tasksProblem(channel, protocol),
    ...unsetVariables(channel, environment),
  ]);
  if (problems.length === 0) return [];
  const yaml = parseYaml(text, 'mailroom.yaml');
  return problems.map(({ path, ...problem }) => ({
    ...problem,
    place: yaml.ok ? yaml.value.place(asWritten(yaml.value.value, path)) : null,
  }));
}

function peopleProblems({ name, people }: ChannelConfig, protocol: Protocol): Problem[] {
  const humans = [...protocol.roles.keys()].filter((role) => isHuman(protocol, role));
  return [...people].flatMap(([who, role]): Problem[] => {
    if (humans.includes(role)) return [];
    const found = protocol.roles.has(role) ? 'the role of an agent' : 'not a role';
    return [
      {
        code: 'E_UNKNOWN_NAME',
        severity: 'error',
        message: `${who} is to speak on the channel ${name} as \`${role}\`, which is ${found}`,
        path: ['channels', name, 'people', who],
        hint: didYouMean(role, humans) ?? `people: ${humans.join(', ')}`,
      },
    ];
  });
}

function tasksProblem({ name, to }: ChannelConfig, { roles, start }: Protocol): Problem[] {
  const path = ['channels', name, ...(to === null ? [] : ['to'])];
  const code = 'E_UNKNOWN_NAME';
  if (to !== null && !roles.has(to))
    return [
      {
        code,
        severity: 'error',
        message: `tasks of the channel ${name} are for \`${to}\`, which is not a role`,
        path,
        hint: didYouMean(to, roles.keys()) ?? `roles: ${[...roles.keys()].join(', ')}`,
      },
    ];
  if (to !== null || start !== null) return [];
  return [
    {
      code,
      severity: 'warning',
      message: `no role gets the tasks of the channel ${name}: the protocol has no \`start\``,
      path,
      hint: `set channels.${name}.to`,
    },
  ];
}

function unsetVariables(
  channel: ChannelConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Problem[] {
  return requiredVariables(channel)
    .filter((variable) => (ownValue(environment, variable) ?? '') === '')
    .map((variable) => ({
      code: 'E_USAGE',
      severity: 'warning',
      message: `the channel ${channel.name} uses the variable ${variable}, which is not set here`,
      path: ['channels', channel.name, 'kind'],
      hint: 'set it where `mailroom up` runs',
    }));
}

/** The path with its last key as the file spells it: names are compared in lower case. */
function asWritten(value: Json, path: Path): Path {
  const [parent, last] = [path.slice(0, -1), String(path.at(-1))];
  const found = valueAt(value, parent);
  const keys = isJsonObject(found) ? Object.keys(found) : [];
  return [...parent, keys.find((key) => key.toLowerCase() === last.toLowerCase()) ?? last];
}
