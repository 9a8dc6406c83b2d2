import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { splitFrontMatter } from '../../mail/format/front-matter.ts';
import { parseYaml } from '../../yaml/yaml.ts';
import type { ProjectFiles } from '../shared/context.ts';

/** A Markdown file: its front matter as a mapping, and the text after it. */
interface ProjectFile {
  readonly path: string;
  readonly front: JsonObject;
  readonly body: string;
}

/** The meaning of a name, or the places where it was not found. */
export type Sought<T> = { readonly found: T } | { readonly found: null; readonly looked: readonly string[] };

/**
 * Reads the first of some files that exists. Unreadable front matter counts as empty: it may be
 * meant for other programs.
 */
export function firstOf(files: ProjectFiles, paths: readonly string[]): Sought<ProjectFile> {
  for (const path of paths) {
    const text = files.read(path);
    if (text !== null) return { found: readProjectFile(path, text) };
  }
  return { found: null, looked: paths };
}

export function readProjectFile(path: string, text: string): ProjectFile {
  const split = splitFrontMatter(text, path);
  if (!split.ok) return { path, front: {}, body: text };
  const read = split.front === null ? null : parseYaml(split.front, path, 2);
  const front = read?.ok === true && isJsonObject(read.value.value) ? read.value.value : {};
  return { path, front, body: split.body.trim() };
}

/** The texts of references, by kind. */
export function seekModule(files: ProjectFiles, name: string): Sought<ProjectFile> {
  return firstOf(files, [`modules/${name}.md`]);
}

export function seekSkill(files: ProjectFiles, name: string): Sought<ProjectFile> {
  return firstOf(files, [`.claude/skills/${name}/SKILL.md`]);
}
