import type { Diagnostic, Place } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { builtInRoles, builtInTypes, mailroom } from '../format/message.ts';
import { checkShape } from '../../yaml/issues.ts';
import { keyHint, argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';
import { protocolFile, type ProtocolFile } from './schema.ts';
import { validParts } from '../../yaml/shape.ts';
import { parseYaml, type Located, type Path } from '../../yaml/yaml.ts';
import type { RoleName, TypeName } from '../../kernel/ids.ts';
import { ownValue } from '../../kernel/own.ts';

/** The keys that a protocol has once, and those with named entries. */
const single = ['name', 'version', 'workspace', 'limits', 'start'] as const;
const named = ['roles', 'messages', 'expects'] as const;

type Single = { [Key in (typeof single)[number]]: NonNullable<ProtocolFile[Key]> | null };
type Named = { [Key in (typeof named)[number]]: Map<string, NonNullable<ProtocolFile[Key]>[string]> };

/** All files combined, in the form of the files. */
export interface Merged extends Single, Named {
  /** Names whose definitions are invalid. */
  readonly broken: { readonly roles: ReadonlySet<RoleName>; readonly types: ReadonlySet<TypeName> };
  /** Whether a file, or all of its roles or types, cannot be read: it may define any name. */
  readonly incomplete: boolean;
  readonly problems: readonly Diagnostic[];
  /** The place of a part of the protocol, in whichever file it is; null where no file has it. */
  place(path: Path): Place | null;
}

/** One file of a protocol. */
export interface ProtocolFileText {
  readonly file: string;
  readonly text: string;
  /** The earlier files that it extends: its definitions replace theirs. Missing: none. */
  readonly replaces?: ReadonlySet<string>;
}

/**
 * Parses and combines all files, each after those that it extends. A duplicate definition is an
 * error that names both places.
 */
export function mergeFiles(files: readonly ProtocolFileText[]): Merged {
  const merger = new Merger();
  for (const file of files) merger.add(file);
  return merger.merged();
}

class Merger {
  readonly #problems: Diagnostic[] = [];
  /** By `key` or `key/name`: the document that defines it. */
  readonly #homes = new Map<string, Located>();
  readonly #single: Single = { name: null, version: null, workspace: null, limits: null, start: null };
  readonly #named: Named = { roles: new Map(), messages: new Map(), expects: new Map() };
  #incomplete = false;

  add({ file, text, replaces = new Set() }: ProtocolFileText): void {
    const yaml = parseYaml(text, file);
    if (!yaml.ok) {
      this.#problems.push(...yaml.problems);
      this.#incomplete = true;
      return;
    }
    const located = yaml.value;
    const { value, problems } = checkShape(protocolFile, located, habits);
    this.#problems.push(...problems);
    if (!isJsonObject(located.value)) return;
    this.#incomplete ||= Object.entries(located.value).some((part) => losesNames(...part));
    const usable: ProtocolFile = value ?? validParts(protocolFile, located.value);
    for (const key of single) {
      if (located.value[key] === undefined || !this.#claim([key], located, replaces)) continue;
      Object.assign(this.#single, { [key]: usable[key] ?? null });
    }
    for (const key of named) {
      const given = located.value[key];
      if (!isJsonObject(given)) continue;
      for (const name of Object.keys(given)) {
        if (!this.#claim([key, name], located, replaces)) continue;
        const entry = ownValue<unknown>(usable[key], name);
        this.#named[key].delete(name);
        if (entry !== undefined) (this.#named[key] as Map<string, unknown>).set(name, entry);
      }
    }
  }

  /**
   * Records which document defines a part; false, with a problem, for a duplicate or forbidden one.
   */
  #claim(path: readonly string[], located: Located, replaces: ReadonlySet<string>): boolean {
    const [key = '', name] = path;
    const what = { roles: 'role', messages: 'message type' }[key];
    if (name !== undefined && what !== undefined && isBuiltIn(key, name)) {
      this.#duplicate(
        located.place(path, 'key'),
        `the ${what} \`${name}\` is built in`,
        'give yours another name',
      );
      return false;
    }
    const first = this.#homes.get(path.join('/'))?.place(path, 'key');
    if (first === undefined || replaces.has(first.file)) {
      this.#homes.set(path.join('/'), located);
      return true;
    }
    const subject =
      what === undefined ? `\`${path.join('.')}\` is given` : `the ${what} \`${name}\` is defined`;
    const hint = `the first one is at ${first.file}:${first.line}:${first.column}`;
    this.#duplicate(located.place(path, 'key'), `${subject} twice`, hint);
    return false;
  }

  #duplicate(place: Place, message: string, hint: string): void {
    this.#problems.push({ code: 'E_DUPLICATE', severity: 'error', message, place, hint });
  }

  merged(): Merged {
    return {
      ...this.#single,
      ...this.#named,
      broken: { roles: this.#broken('roles'), types: this.#broken('messages') },
      incomplete: this.#incomplete,
      problems: this.#problems,
      place: (path) => this.#place(path),
    };
  }

  #broken(key: 'roles' | 'messages'): ReadonlySet<string> {
    const names = [...this.#homes.keys()]
      .filter((home) => home.startsWith(`${key}/`))
      .map((home) => home.slice(key.length + 1));
    return new Set(names.filter((name) => !this.#named[key].has(name)));
  }

  #place(path: Path): Place | null {
    const [key = '', name = ''] = path;
    const home = this.#homes.get(`${key}/${name}`);
    // A whole role or type is marked at its name.
    if (home !== undefined) return home.place(path, path.length === 2 ? 'key' : 'value');
    const whole = this.#homes.get(String(key));
    if (whole !== undefined) return whole.place(path);
    // A role's `expects` can be inside the role.
    const role = key === 'expects' ? this.#homes.get(`roles/${name}`) : undefined;
    return role?.place(['roles', name, 'expects', ...path.slice(2)]) ?? null;
  }
}

const keys = Object.keys(protocolFile.shape);

/** Whether names are lost in a part of a file: its key is misspelt, or it is not a mapping. */
function losesNames(key: string, part: Json): boolean {
  if (key === 'roles' || key === 'messages') return !isJsonObject(part);
  if (keys.includes(key)) return false;
  const hint = keyHint(habits, 'protocol', key, part) ?? didYouMean(key, keys);
  return hint !== null && /^did you mean `(?:roles|messages)`/.test(hint);
}

function isBuiltIn(key: string, name: string): boolean {
  const names: readonly string[] = key === 'roles' ? [...builtInRoles, mailroom] : builtInTypes;
  return names.includes(name);
}

const instructions = 'they stand in agents/<role>/role.md';
const gates: KeyHint = (value) =>
  `write \`gates: [{ run: ${typeof value === 'string' ? argvText(value) : '[npm, test]'} }]\``;
const ofWorkflow = 'steps are those of a workflow, a file of its own in workflows/';

/** What authors of workflows and of other tools write in a protocol. */
const habits: Habits = {
  keys: {
    protocol: {
      agents: 'did you mean `roles`?',
      types: 'did you mean `messages`?',
      jobs: ofWorkflow,
      steps: ofWorkflow,
      stages: ofWorkflow,
      on: 'what a new thread begins with is `start`',
      gates: 'they stand under a type of `messages`',
      timeout: '`timeout` of all roles stands under `defaults` of mailroom.yaml',
    },
    role: {
      worker: (value) => `write \`provider: ${typeof value === 'string' ? nameOf(value) : 'claude'}\``,
      permissions: 'did you mean `capabilities`?',
      tools: 'did you mean `capabilities`?',
      instructions,
      prompt: instructions,
      system_prompt: instructions,
      description: instructions,
      max_retries: 'did you mean `retries`?',
    },
    'message type': {
      run: gates,
      command: gates,
      checks: 'did you mean `gates`?',
      blocks: 'did you mean `blocking`?',
      replies: 'did you mean `reply`?',
      needs: 'what a role waits for before it starts is `expects`, under the role or in the protocol',
      if: 'a message type has no condition: its sender decides, and `gates` check',
      when: 'a message type has no condition: its sender decides, and `gates` check',
    },
  },
};

/** `CLAUDE_CODE` is `claude` here. */
function nameOf(worker: string): string {
  return worker.toLowerCase().replace(/_(?:code|cli)$/, '');
}
