import { dirname, join, relative } from 'node:path/posix';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { MailroomError, type ErrorCode } from '../../kernel/errors.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Disk } from '../../disk/disk.ts';
import type { ProtocolFileText } from '../../mail/protocol/merge.ts';
import { parseYaml, type Path, type YamlDocument } from '../../yaml/yaml.ts';
import { listProtocolFiles, readDefinition } from './project-files.ts';

/**
 * Reads protocols/ and the files that its files extend: all files, each after those that it
 * extends, and the problems of `extends`. Throws `E_FILE`.
 */
export function readProtocol(disk: Disk): {
  readonly files: readonly ProtocolFileText[];
  readonly problems: readonly Diagnostic[];
} {
  const reader = new Reader(disk);
  for (const path of listProtocolFiles(disk, 'protocols')) reader.read(path, []);
  return reader;
}

/** What says that a file extends others, without reading its YAML. */
const sign = /^\s*["']?extends["']?\s*:/m;

class Reader {
  readonly files: ProtocolFileText[] = [];
  readonly problems: Diagnostic[] = [];
  readonly #disk: Disk;
  /** By path: what the file replaces. */
  readonly #replaced = new Map<string, Set<string>>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** The paths of a file and of all that it extends. `above`: the files that extend it. */
  read(path: string, above: readonly string[]): ReadonlySet<string> {
    const known = this.#replaced.get(path);
    if (known !== undefined) return new Set([...known, path]);
    const text = readDefinition(this.#disk, path)?.text ?? '';
    const yaml = sign.test(text) ? parseYaml(text, path) : null;
    const replaces = new Set<string>();
    this.#replaced.set(path, replaces);
    if (yaml?.ok === true)
      for (const [key, reference] of extendedBy(yaml.value)) {
        const files = this.#resolve(reference, key, yaml.value, [...above, path]);
        this.#add(replaces, new Set(files.flatMap((file) => [...this.read(file, [...above, path])])));
      }
    this.files.push({ file: path, text, replaces });
    return new Set([...replaces, path]);
  }

  /** The files of a later entry replace those of earlier ones. */
  #add(earlier: Set<string>, found: ReadonlySet<string>): void {
    const before = [...earlier].filter((path) => !found.has(path));
    for (const path of found) for (const each of before) this.#replaced.get(path)?.add(each);
    for (const path of found) earlier.add(path);
  }

  /** The files that one entry of `extends` means. Reports an entry that means none. */
  #resolve(reference: string, key: Path, document: YamlDocument, way: readonly string[]): string[] {
    const refuse = (code: ErrorCode, message: string, hint: string | null): string[] => {
      this.problems.push({ code, severity: 'error', message, place: document.place(key), hint });
      return [];
    };
    const from = way.at(-1) ?? '';
    const sought = place(reference, from);
    if (sought === null)
      return refuse(
        'E_PATH',
        `\`${reference}\` leads out of the project`,
        'extend a file or folder of the project, such as `./base.yaml`, or one of a package, such as `team-rules/base.yaml`',
      );
    const found = this.#find(sought);
    if (found instanceof MailroomError) return refuse('E_PATH', found.message, found.hint);
    if (found === null) {
      const hint = reference.startsWith('.')
        ? 'the path is that from the folder of this file'
        : 'this is a file of a package in node_modules/; a path begins with `./` or `../`';
      return refuse('E_REFERENCE', `there is no \`${reference}\` to extend`, hint);
    }
    if (found.real !== found.path)
      return refuse(
        'E_PATH',
        `a link leads to \`${reference}\`, which an agent could replace`,
        `extend what it leads to: \`${relative(dirname(from), found.real)}\``,
      );
    const files = this.#filesOf(found.path);
    if (files.length === 0)
      return refuse('E_REFERENCE', `the folder \`${found.path}\` has no .yaml file to extend`, null);
    const circle = files.find((file) => way.includes(file));
    if (circle === undefined) return files;
    const chain = [...way.slice(way.indexOf(circle)), circle].join(' → ');
    return refuse('E_PROTOCOL', `a protocol cannot extend itself: ${chain}`, null);
  }

  /** The first of these paths that exists, also with its links resolved; null: none does. */
  #find(paths: readonly string[]): { readonly path: string; readonly real: string } | MailroomError | null {
    try {
      for (const path of paths) {
        const real = this.#disk.resolve(path);
        if (real !== null) return { path, real };
      }
      return null;
    } catch (error) {
      if (error instanceof MailroomError && error.code === 'E_PATH') return error;
      throw error;
    }
  }

  #filesOf(path: string): string[] {
    if (this.#disk.look(path)?.kind !== 'folder') return [path];
    return listProtocolFiles(this.#disk, path);
  }
}

/** The entries of `extends`, each with its place. Other types are reported with the file. */
function extendedBy({ value }: YamlDocument): [Path, string][] {
  const given = isJsonObject(value) ? value['extends'] : undefined;
  if (typeof given === 'string') return [[['extends'], given]];
  if (!Array.isArray(given)) return [];
  return given.flatMap((each, index): [Path, string][] =>
    typeof each === 'string' ? [[['extends', index], each]] : [],
  );
}

/** Where an entry of `extends` may lie, from the project; null: outside of it. */
function place(reference: string, from: string): string[] | null {
  const folder = dirname(from);
  if (/^\.\.?(?:\/|$)/.test(reference)) {
    const path = join(folder, reference);
    return path === '..' || path.startsWith('../') ? null : [path];
  }
  if (reference.startsWith('/') || reference.startsWith('~') || reference.split('/').includes('..'))
    return null;
  const parts = folder === '.' ? [] : folder.split('/');
  return [...parts.keys(), parts.length]
    .map((count) => [...parts.slice(0, count), 'node_modules', reference].join('/'))
    .toReversed();
}
