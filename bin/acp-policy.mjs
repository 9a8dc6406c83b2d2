// Decides each permission request of an agent by the capabilities of its role. What cannot be
// decided is refused, or a person is asked.
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObject } from './acp-connection.mjs';

/**
 * The decision about a tool call: null if it is allowed, otherwise `why` not, for the agent, and
 * whether it `isOpen`: a person may allow it nevertheless. `policy` is the `policy` of the file that
 * src/providers/acp.ts writes.
 */
export function refusal(policy, call) {
  const command = commandOf(call);
  const paths = pathsOf(call).map((path) => resolve(policy.workspace, path));
  if (isServed(policy, call, command)) return null;
  if (command !== null || call.kind === 'execute') return refusedCommand(policy, command);
  switch (call.kind) {
    case 'edit':
    case 'delete':
    case 'move':
      return refusedPaths(policy, paths);
    case 'read':
    case 'search':
      return refusedReading(policy, paths);
    case 'think':
      return null;
    case 'switch_mode':
      return never('its mode is set by Mailroom');
    default:
      // Some agents tell no kind: a call that shows what it changes is an edit.
      if (diffsOf(call).length > 0) return refusedPaths(policy, paths);
      return policy.capabilities.includes('RUN_COMMANDS')
        ? null
        : open('this role must not use tools beyond reading, its edits and its tests');
  }
}

const never = (why) => ({ why, isOpen: false });
const open = (why) => ({ why, isOpen: true });

/** The longest text of a call that a person is shown, in characters: nobody allows half a command. */
const longestShown = 4000;

/** A call as a person is asked about it; null: a person could not see what it is. */
export function askedCall(call) {
  const [command, paths] = [commandOf(call), pathsOf(call)];
  const { title: given, kind = null, rawInput = null } = call;
  const title = typeof given === 'string' ? given : String(kind ?? 'a tool');
  const input = command === null && paths.length === 0 ? JSON.stringify(rawInput) : null;
  const told = JSON.stringify([kind, command, paths, input === null ? null : [title, input]]);
  if (
    told.length > longestShown ||
    /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test([command, ...paths, input].join(' '))
  )
    return null;
  const key = createHash('sha256').update(told).digest('hex');
  return { key, title: title.slice(0, 200), kind, command, paths, input };
}

/** What a refused call was to do, for people: its command, or its path. */
export function detailOf(call) {
  return commandOf(call) ?? pathsOf(call)[0] ?? null;
}

/** A tool of a server that was connected for this turn. */
function isServed({ servers }, { title, name, rawInput, kind }, command) {
  if (command !== null || !['other', 'fetch', 'think', undefined, null].includes(kind)) return false;
  const input = isObject(rawInput) ? rawInput : {};
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

function refusedCommand({ capabilities, tests }, command) {
  if (capabilities.includes('RUN_COMMANDS')) return null;
  if (!capabilities.includes('RUN_TESTS')) return open('this role must not run commands');
  if (command === null) return open('the request names no command, and this role may run only its tests');
  const words = command.trim().replaceAll(/\s+/g, ' ');
  const isTest = tests.some((test) => words === test || words.startsWith(`${test} `));
  // A second command, a substitution or a redirection could do anything.
  if (isTest && !/[;&|<>`$(){}\n\\]/.test(command)) return null;
  const named = `${tests.slice(0, 3).join(', ')}${tests.length > 3 ? ', …' : ''}`;
  return open(`this role may run only its tests, each alone: ${named}`);
}

function refusedPaths(policy, paths) {
  if (paths.length === 0) {
    const why = 'the request names no path';
    return policy.capabilities.includes('EDIT') ? open(why) : never(why);
  }
  const refused = paths
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

/** The command line of a call; null: it names none. */
function commandOf({ rawInput, kind, title, titleIsCommand }) {
  const given = isObject(rawInput) ? (rawInput.command ?? rawInput.cmd) : undefined;
  if (typeof given === 'string' && given.trim() !== '') return given;
  if (Array.isArray(given) && given.length > 0) return unwrapped(given.map(String));
  return kind === 'execute' && titleIsCommand === true && typeof title === 'string' ? title : null;
}

/** The script of `bash -lc SCRIPT`; otherwise the words. */
function unwrapped(words) {
  const isShell =
    words.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(words[0]) && /^-l?c$/.test(words[1]);
  return isShell ? words[2] : words.join(' ');
}

const pathKeys = [
  'file_path',
  'filePath',
  'filepath',
  'path',
  'absolute_path',
  'abs_path',
  'notebook_path',
  'fileName',
];

/** Every path that a call names: all of them must be allowed. */
function pathsOf({ rawInput, locations, content }) {
  const input = isObject(rawInput) ? rawInput : {};
  const given = [
    ...list(locations).map((location) => location?.path),
    ...diffsOf({ content }).map((diff) => diff.path),
    ...pathKeys.map((key) => input[key]),
  ];
  const paths = given.filter((path) => typeof path === 'string' && path !== '');
  return [...new Set(paths.map((path) => path.replace(/^file:\/\//, '')))].toSorted(
    (left, right) => Number(isAbsolute(right)) - Number(isAbsolute(left)),
  );
}

function diffsOf({ content }) {
  return list(content).filter((part) => part?.type === 'diff');
}

function list(value) {
  return Array.isArray(value) ? value : [];
}
