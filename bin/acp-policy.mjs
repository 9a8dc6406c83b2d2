// Decides each permission request of an agent by the capabilities of its role. What cannot be
// decided is refused, or a person is asked.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { commandOf, diffsOf, isCommand, partBesideCommand, pathsOf, placesBeside } from './acp-call.mjs';
import { isObject } from './acp-connection.mjs';

const changing = ['edit', 'delete', 'move'];

/**
 * The decision about a tool call: null if it is allowed, otherwise `why` not, for the agent, and
 * whether it `isOpen`: a person may allow it nevertheless. `policy` is the `policy` of the file that
 * src/providers/acp.ts writes.
 */
export function refusal(policy, call) {
  const paths = pathsOf(call).map((path) => placeOf(policy, path));
  const places = [...paths, ...placesBeside(call).map((path) => placeOf(policy, path))];
  if (isServed(policy, call)) return null;
  // Whatever a call is named, all that it would do must be allowed.
  const changes = changing.includes(call.kind) || diffsOf(call).length > 0;
  if (isCommand(call))
    return (
      refusedCommand(policy, call) ??
      (changes ? refusedPaths(policy, paths, places) : refusedReading(policy, places))
    );
  if (changes) return refusedPaths(policy, paths, places);
  switch (call.kind) {
    case 'read':
    case 'search':
    case 'think':
      return refusedReading(policy, places);
    case 'switch_mode':
      return never('its mode is set by Mailroom');
    default:
      return policy.capabilities.includes('RUN_COMMANDS')
        ? null
        : open('this role must not use tools beyond reading, its edits and its tests');
  }
}

const never = (why) => ({ why, isOpen: false });
const open = (why) => ({ why, isOpen: true });

/** Where a path leads: an address and a home folder lead out of every workspace. */
function placeOf({ workspace }, path) {
  return resolve(/^~|^[a-z][\w+.-]*:/i.test(path) ? '/' : workspace, path);
}

/** A tool of a server that was connected for this turn. */
function isServed({ servers }, call) {
  const { title, name, rawInput, kind } = call;
  if (isCommand(call) || !['other', 'fetch', 'think', undefined, null].includes(kind)) return false;
  const input = isObject(rawInput) ? rawInput : {};
  // A title may be words of others: what reads an address or changes files is another tool.
  if (diffsOf(call).length > 0 || ['url', 'uri', 'href'].some((key) => input[key] !== undefined))
    return false;
  const shown = [name, title].filter((text) => typeof text === 'string');
  return servers.some((server) => {
    const prefixes = [
      `mcp__${server}__`,
      `mcp_${server}_`,
      ...['_', '-', '.', '/', ':'].map((end) => server + end),
    ];
    return (
      [input.server, input.serverName, input.server_name].includes(server) ||
      shown.some((text) => prefixes.some((prefix) => text.startsWith(prefix))) ||
      shown.some((text) => text.endsWith(`(${server} MCP Server)`))
    );
  });
}

function refusedCommand({ capabilities, tests, workspace }, call) {
  if (capabilities.includes('RUN_COMMANDS')) return null;
  if (!capabilities.includes('RUN_TESTS')) return open('this role must not run commands');
  const command = commandOf(call);
  if (command === null) return open('the request names no command, and this role may run only its tests');
  const words = command.replaceAll(/[ \t]+/g, ' ').replaceAll(/^ | $/g, '');
  const isTest = tests.some((test) => words === test || words.startsWith(`${test} `));
  // A second command, a substitution or a redirection could do anything.
  if (!isTest || /[;&|<>`$(){}\n\\]/.test(command)) {
    const named = `${tests.slice(0, 3).join(', ')}${tests.length > 3 ? ', …' : ''}`;
    return open(`this role may run only its tests, each alone: ${named}`);
  }
  const isWorkspace = (path) => realPlace(resolve(workspace, path)) === realPlace(workspace);
  const part = partBesideCommand(call, isWorkspace);
  return part === null
    ? null
    : open(`this role may run only its tests, as they are in its workspace, and the request adds ${part}`);
}

function refusedPaths(policy, paths, places) {
  if (paths.length === 0) {
    const why = 'the request names no path';
    return policy.capabilities.includes('EDIT') ? open(why) : never(why);
  }
  const refused = places
    .flatMap((each) => [each, realPlace(each)])
    .map((path) => refusedPath(policy, path))
    .filter((each) => each !== null);
  return refused.find(({ isOpen }) => !isOpen) ?? refused[0] ?? null;
}

function refusedPath(policy, path) {
  const { workspace, outbox, owed, readable, capabilities } = policy;
  const isBelow = (folder) => isInside(path, folder) || isInside(path, realPlace(folder));
  if ([outbox, ...owed].some(isBelow)) return null;
  if (isSettings(policy, path)) return never('files that configure agents must not be written');
  if (capabilities.includes('RUN_COMMANDS')) return null;
  if (!capabilities.includes('EDIT'))
    return never(`this role may write only into ${[outbox, ...owed].join(', ')}`);
  const parts = relative(realPlace(workspace), realPlace(path)).split('/');
  if (parts[0] === '..') {
    const why = `this role may write only in ${workspace}`;
    // Whoever allows it cannot see what else of the project it would change.
    return readable.some(isBelow) ? never(why) : open(why);
  }
  return parts.some((part) => part === '.git' || part === '.mailroom')
    ? never('the files of git and Mailroom must not be written')
    : null;
}

function refusedReading({ workspace, readable, capabilities }, paths) {
  if (capabilities.includes('RUN_COMMANDS')) return null;
  const places = [workspace, ...readable];
  const outside = paths.find((path) => places.every((place) => !isInside(realPlace(path), realPlace(place))));
  return outside === undefined ? null : open(`this role may read only in ${places.join(', ')}`);
}

/** Whether a path configures agents, at any depth below the workspace. */
function isSettings({ workspace, settings, mayConfigure }, path) {
  if (mayConfigure) return false;
  const parts = relative(workspace, path).split('/');
  const isFile = settings.files.some((pattern) =>
    pattern.endsWith('*') ? basename(path).startsWith(pattern.slice(0, -1)) : basename(path) === pattern,
  );
  return isFile || parts.some((part) => settings.folders.includes(part));
}

function isInside(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The real path of a file that may not exist yet: of its deepest folder that does. */
function realPlace(path) {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    try {
      return realpathSync(path);
    } catch {
      // A link that leads nowhere: what is written to it is made there.
      return '/';
    }
  }
  const folder = dirname(path);
  return folder === path ? path : join(realPlace(folder), basename(path));
}
