// Reads a tool call of an agent: what it runs, which places it names, and all of it as a person is
// shown it. bin/acp-policy.mjs decides about it.
import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from './acp-connection.mjs';

/** The longest call that a person is shown, in characters: nobody allows half of one. */
const longestShown = 4000;

/**
 * Characters that are drawn as nothing, or as a space that they are not: control and format
 * characters, fillers, blanks, halves of characters, and those that no font has to draw.
 */
const unseen =
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}\uFFFC]/u;

/**
 * A call as a person is asked about it, and its key: equal only for the same whole call, whatever
 * its id. `unseen` instead: why a person could not see what it is.
 */
export function askedCall(call) {
  const { toolCallId: _id, status: _status, titleIsCommand: _title, ...whole } = call;
  const told = canonical(whole);
  if (told === null) return { unseen: 'it is nested too deeply' };
  if (told.length > longestShown)
    return { unseen: `it has ${told.length} characters, and at most ${longestShown} are shown` };
  const [command, paths] = [commandOf(call), pathsOf(call)];
  const hidden = hiddenIn(whole, paths);
  if (hidden !== null) return { unseen: `it has a character that is not seen: ${hidden}` };
  const { title: given, kind: named, ...rest } = whole;
  const kind = typeof named === 'string' ? named : null;
  const title = typeof given === 'string' ? given : (kind ?? 'a tool');
  const others = {
    ...unlessText('title', given),
    ...unlessText('kind', named),
    ...besides(rest, command, paths),
  };
  const input = Object.keys(others).length === 0 ? null : JSON.stringify(others, null, 2);
  if (command === null && paths.length === 0 && input === null)
    return { unseen: 'it does not say what it would do' };
  const key = createHash('sha256').update(told).digest('hex');
  return { asked: { key, title, kind, command, paths, input } };
}

/** JSON with sorted keys; null: it is too deep to be written. */
function canonical(value) {
  try {
    return JSON.stringify(value, (_key, each) =>
      isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(byName)) : each,
    );
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function byName([left], [right]) {
  return left < right ? -1 : 1;
}

/** The first character that a person would not see; a path has none of a second line, either. */
function hiddenIn(whole, paths) {
  const texts = textsIn(whole).map(({ key, text }) => `${key}${text}`.replaceAll(/[\n\t]/g, ' '));
  const found = [...texts, ...paths].map((text) => unseen.exec(text)?.[0]).find((each) => each !== undefined);
  if (found === undefined) return null;
  return `U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** All texts in a value, at every depth, with the key under which each stands. */
function textsIn(value) {
  const found = [];
  const open = [['', value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [key, each] = next;
    if (typeof each === 'string') found.push({ key, text: each });
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, part] of Object.entries(each)) {
      const isNamed = !Array.isArray(each);
      if (isNamed) found.push({ key: name, text: '' });
      open.push([isNamed ? name : key, part]);
    }
  }
  return found;
}

function unlessText(name, value) {
  return value === undefined || value === null || typeof value === 'string' ? {} : { [name]: value };
}

/** What a call has besides its command and its paths, as these are shown. */
function besides({ rawInput, locations, ...rest }, command, paths) {
  const isShown = (key, value) =>
    (commandKeys.includes(key) && value === command) || (pathKeys.includes(key) && paths.includes(value));
  const input = isObject(rawInput)
    ? Object.fromEntries(Object.entries(rawInput).filter(([key, value]) => !isShown(key, value)))
    : rawInput;
  const places = Array.isArray(locations)
    ? locations.filter(
        (each) => !isObject(each) || Object.keys(each).join() !== 'path' || !paths.includes(each.path),
      )
    : locations;
  const all = Object.entries({ rawInput: input, locations: places, ...rest });
  return Object.fromEntries(all.filter(([, value]) => !isNothing(value)));
}

function isNothing(value) {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || isEmpty;
}

const commandKeys = ['command', 'cmd'];

/** The command line of a call; null: it names none. */
export function commandOf({ rawInput, kind, title, titleIsCommand }) {
  const given = isObject(rawInput) ? rawInput[commandKeyOf(rawInput)] : undefined;
  if (typeof given === 'string' && given.trim() !== '') return given;
  if (Array.isArray(given) && given.length > 0) return unwrapped(given.map(String));
  return kind === 'execute' && titleIsCommand === true && typeof title === 'string' ? title : null;
}

/** Whether a call runs a command, also one that cannot be read. */
export function isCommand(call) {
  const { kind, rawInput } = call;
  return kind === 'execute' || (isObject(rawInput) && !isNothing(rawInput[commandKeyOf(rawInput)]));
}

function commandKeyOf(input) {
  return commandKeys.find((key) => input[key] !== undefined && input[key] !== null);
}

/** The script of `bash -lc SCRIPT`; otherwise the words. */
function unwrapped(words) {
  const isShell =
    words.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(words[0]) && /^-l?c$/.test(words[1]);
  return isShell ? words[2] : words.join(' ');
}

const isText = (value) => typeof value === 'string';
const isTime = (value) => typeof value === 'number';
const isOff = (value) => value === false;
const isStart = (words, command) => isText(words) && `${command} `.startsWith(`${words} `);

/** Parts of an input that leave its command as it is, where their values are such. */
const remarks = new Map([
  ['description', isText],
  ['explanation', isText],
  ['timeout', isTime],
  ['timeout_ms', isTime],
  ['timeoutMs', isTime],
  ['initial_wait', isTime],
  ['is_background', isOff],
  ['run_in_background', isOff],
  ['detach', isOff],
  ['mode', (value) => value === 'sync'],
  // Copilot lists the programs of a command besides.
  ['commands', (value, command) => Array.isArray(value) && value.every((each) => isStart(each, command))],
]);
const folders = ['cwd', 'directory', 'dir_path', 'workdir', 'working_directory', 'workingDirectory'];
/** What the protocol itself says of a call; `name` and `_meta` are of the agent. */
const known = [
  'toolCallId',
  'title',
  'titleIsCommand',
  'kind',
  'status',
  'content',
  'locations',
  'rawInput',
  'name',
  '_meta',
];

/**
 * A part of a call that could change what its command does; null: it has none. `isWorkspace` says
 * whether a path is the folder in which a command runs anyway.
 */
export function partBesideCommand(call, isWorkspace) {
  const { rawInput } = call;
  if (diffsOf(call).length > 0) return 'an edit';
  const unknown = Object.keys(call).find((key) => !known.includes(key) && !isNothing(call[key]));
  if (unknown !== undefined) return `\`${unknown}\``;
  if (isNothing(rawInput)) return null;
  if (!isObject(rawInput)) return 'its input';
  const command = commandKeyOf(rawInput);
  const isRemark = (key, value) =>
    remarks.get(key)?.(value, commandOf(call)) === true ||
    (folders.includes(key) && isText(value) && isWorkspace(value));
  const part = Object.entries(rawInput).find(
    ([key, value]) => key !== command && !isNothing(value) && !isRemark(key, value),
  );
  return part === undefined ? null : `\`${part[0]}\``;
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
export function pathsOf({ rawInput, locations, content }) {
  const input = isObject(rawInput) ? rawInput : {};
  const given = [
    ...list(locations).map((location) => location?.path),
    ...diffsOf({ content }).map((diff) => diff.path),
    ...pathKeys.map((key) => input[key]),
  ];
  const paths = given.filter((path) => typeof path === 'string' && path !== '');
  return [...new Set(paths.map(fromAddress))].toSorted(
    (left, right) => Number(isAbsolute(right)) - Number(isAbsolute(left)),
  );
}

/** The path of a `file:` address; everything else as it is. */
function fromAddress(path) {
  try {
    return path.startsWith('file://') ? fileURLToPath(path) : path;
  } catch {
    return path;
  }
}

/** Texts that name no places, by their keys in small letters, without what separates words. */
const prose =
  /^(?:commands?|cmd|description|explanation|instructions?|thought|message|body|prompt|query|pattern|regex|search|replace(?:ment)?|patch|diff|code|(?:old|new|file|insert)?(?:text|str|string|contents?|source))$/;

/** Further places that the input of a call names: an absolute path, an address, one with a folder. */
export function placesBeside({ rawInput }) {
  return textsIn(rawInput).flatMap(({ key, text }) =>
    prose.test(key.toLowerCase().replaceAll(/[_-]/g, '')) || !/^[.~]|\//.test(text) || text.includes('\n')
      ? []
      : [fromAddress(text)],
  );
}

export function diffsOf({ content }) {
  return list(content).filter((part) => part?.type === 'diff');
}

/** What a refused call was to do, for people: its command, or its path. */
export function detailOf(call) {
  return commandOf(call) ?? pathsOf(call)[0] ?? null;
}

function list(value) {
  return Array.isArray(value) ? value : [];
}
