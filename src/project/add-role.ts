import { kindWords } from '../disk/contents.ts';
import { isProtocolFile } from '../disk/find-project.ts';
import { MailroomError } from '../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { parseProtocol } from '../mail/protocol/read.ts';
import { edit } from '../yaml/edit/edit.ts';
import { name as roleName } from '../yaml/schema.ts';
import { parseYaml } from '../yaml/yaml.ts';
import { writeDefinition } from './definition/composing.ts';
import { ProblemsError } from './definition/problems.ts';
import type { Project } from './project.ts';

export interface AddedRole {
  /** The file of the protocol that has the role now. */
  readonly protocol: string;
  /** The files that were changed or made; an existing description is kept. */
  readonly written: readonly string[];
}

const mostBytes = 4 * 1024 * 1024;

/**
 * Adds a role that may read to the first file of the protocol that has roles, and an empty
 * description of it. Every other byte stays. Throws the problems of a definition that cannot be
 * read, and `E_USAGE` where the role cannot be added, with the place.
 */
export async function addRole(project: Project, name: string): Promise<AddedRole> {
  const { disk } = project;
  if (!roleName.safeParse(name).success)
    throw new MailroomError('E_USAGE', `\`${name}\` cannot be the name of a role`, nameHint);
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const files = (disk.list('protocols') ?? [])
    .filter(isProtocolFile)
    .toSorted()
    .map((file) => `protocols/${file}`)
    .map((file) => ({ file, text: disk.read(file, mostBytes)?.toString('utf8') ?? '' }));
  const roles = files.map(({ file, text }) => ({ file, text, roles: rolesIn(text, file) }));
  if (definition.value.protocol.roles.has(name)) {
    const place = roles.find((each) => each.roles !== null && Object.hasOwn(each.roles, name))?.file;
    const where = place === undefined ? 'it is built in' : `it is in ${place}, under \`roles\``;
    throw new MailroomError('E_USAGE', `there is already a role \`${name}\``, where);
  }
  const home = roles.find((each) => each.roles !== null);
  if (home === undefined)
    throw new MailroomError(
      'E_USAGE',
      'no file in protocols/ has `roles`',
      '`mailroom init` makes a protocol',
    );
  const value = roleLike(home.roles ?? {});
  const edited = edit(home.text, { do: 'add', path: ['roles', name], value });
  if (!edited.ok)
    throw new MailroomError(
      'E_USAGE',
      `${home.file} cannot be changed: ${edited.why}`,
      'add it under `roles` by hand',
    );
  const texts = files.map(({ file, text }) => ({ file, text: file === home.file ? edited.text : text }));
  const parsed = parseProtocol(texts, definition.value.config);
  if (!parsed.ok) throw new ProblemsError(parsed.problems);
  // The protocol last: a role that it names has its description.
  const description = `agents/${name}/role.md`;
  const found = disk.look(description);
  if (found !== null && found.kind !== 'file')
    throw new MailroomError('E_USAGE', `${description} is ${kindWords[found.kind]}`, 'move it away');
  if (found === null) disk.write(description, descriptionOf(name));
  if (!writeDefinition(disk, home.file, home.text, edited.text))
    throw new MailroomError('E_USAGE', `${home.file} was changed meanwhile`, 'run the command again');
  return { protocol: home.file, written: [home.file, ...(found === null ? [description] : [])] };
}

const nameHint = 'use letters, digits, `-` and `_`, such as `qa` or `backend-2`';

/**
 * A role that may read, with what the first other agent in the file says besides: what none of the
 * project's defaults says, every role needs.
 */
function roleLike(roles: Readonly<Record<string, Json>>): JsonObject {
  const agent =
    Object.values(roles)
      .filter(isJsonObject)
      .find(({ provider }) => provider !== 'human') ?? {};
  const { provider, timeout, budget } = agent;
  const role = { provider, capabilities: ['READ'], timeout, budget };
  return Object.fromEntries(Object.entries(role).filter(([, value]) => value !== undefined)) as JsonObject;
}

function descriptionOf(name: string): string {
  return `You are ${name}. Write here what this role does, what it must not do, and when its work is done.\n`;
}

/** The roles of a file as it says them; null: it says none. */
function rolesIn(text: string, file: string): Readonly<Record<string, Json>> | null {
  const yaml = parseYaml(text, file);
  const value = yaml.ok ? yaml.value.value : null;
  const roles = isJsonObject(value) ? value['roles'] : undefined;
  return isJsonObject(roles) ? roles : null;
}
