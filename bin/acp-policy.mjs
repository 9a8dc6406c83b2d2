// Decides each permission request of an agent by the capabilities of its role. What cannot be
// decided is refused.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObject } from './acp-connection.mjs';

/**
 * The decision about a tool call: null if it is allowed, otherwise why not, for the agent. `policy`
 * is the `policy` of the file that src/providers/acp.ts writes.
 */
export function refusal(policy, call) {
  const may = (capability) => policy.capabilities.includes(capability);
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
      return 'its mode is set by Mailroom';
    default:
      // Some agents tell no kind: a call that shows what it changes is an edit.
      if (diffsOf(call).length > 0) return refusedPaths(policy, paths);
      return may('RUN_COMMANDS')
        ? null
        : 'this role must not use tools beyond reading, its edits and its tests';
  }
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
  if (!capabilities.includes('RUN_TESTS')) return 'this role must not run commands';
  if (command === null) return 'the request names no command, and this role may run only its tests';
  const words = command.trim().replaceAll(/\s+/g, ' ');
  const isTest = tests.some((test) => words === test || words.startsWith(`${test} `));
  // A second command, a substitution or a redirection could do anything.
  if (isTest && !/[;&|<>`$(){}\n\\]/.test(command)) return null;
  return `this role may run only its tests, each alone: ${tests.slice(0, 3).join(', ')}${tests.length > 3 ? ', …' : ''}`;
}

function refusedPaths(policy, paths) {
  if (paths.length === 0) return 'the request names no path';
  for (const path of paths.flatMap((each) => [each, realPlace(each)])) {
    const why = refusedPath(policy, path);
    if (why !== null) return why;
  }
  return null;
}

function refusedPath(policy, path) {
  const { workspace, outbox, owed, capabilities } = policy;
  if ([outbox, ...owed].some((own) => isInside(path, own) || isInside(path, realPlace(own)))) return null;
  if (isSettings(policy, path)) return 'files that configure agents must not be written';
  if (capabilities.includes('RUN_COMMANDS')) return null;
  if (!capabilities.includes('EDIT')) return `this role may write only into ${[outbox, ...owed].join(', ')}`;
  const parts = relative(realPlace(workspace), realPlace(path)).split('/');
  if (parts[0] === '..') return `this role may write only in ${workspace}`;
  return parts.some((part) => part === '.git' || part === '.mailroom')
    ? 'the files of git and Mailroom must not be written'
    : null;
}

function refusedReading({ workspace, readable, capabilities }, paths) {
  if (capabilities.includes('RUN_COMMANDS')) return null;
  const places = [workspace, ...readable];
  const outside = paths.find((path) => places.every((place) => !isInside(realPlace(path), realPlace(place))));
  return outside === undefined ? null : `this role may read only in ${places.join(', ')}`;
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
