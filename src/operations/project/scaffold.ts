import { MailroomError } from '../../kernel/errors.ts';
import { readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { isProtocolFile } from '../../disk/find-project.ts';
import { appendMissingLines, type TextFile } from './project-files.ts';
import { boxes, writeTemplate, type LeftOut, type Template } from './template.ts';

/** The line of a template's mailroom.yaml with the provider of the roles. */
const providerLine = /^( *provider: )rehearsal$/m;

/** The template whose files every other one here has, too, unless it brings its own. */
export const baseTemplate = 'feature-team';

/** What git leaves alone in every project; a template may add to it in a file `gitignore`. */
const ignored = ['.mailroom/', ...boxes.map((box) => `agents/*/${box}/`)];

/**
 * Copies a template into a project, keeping existing files and adding no second protocol.
 * `gitignore` has lines for `.gitignore`, which npm would not publish under its own name.
 * `provider` replaces the rehearsal agents; null: nothing.
 */
export function copyTemplate(
  { files, leftOut }: Template,
  project: Disk,
  provider: string | null,
): { written: string[]; kept: string[]; left_out: LeftOut[] } {
  const copied = files
    .filter(({ path }) => path !== 'gitignore')
    .map(({ path, text }) => ({
      path,
      text:
        path === 'mailroom.yaml' && provider !== null ? text.replace(providerLine, `$1${provider}`) : text,
    }));
  // Nothing is written through a link, which may lead out of the project.
  const isFolder = project.look('protocols')?.kind === 'folder';
  const own = isFolder ? (project.list('protocols') ?? []).filter(isProtocolFile) : [];
  const isSecond = (path: string) =>
    own.length > 0 && path.startsWith('protocols/') && project.look(path) === null;
  const second = copied.flatMap(({ path }) =>
    isSecond(path) ? [{ path, why: 'the project has a protocol' }] : [],
  );
  const {
    written,
    kept,
    leftOut: refused,
  } = writeTemplate(project, {
    files: copied.filter(({ path }) => !isSecond(path)),
    leftOut: [...leftOut, ...second],
  });
  const lines = files.find(({ path }) => path === 'gitignore')?.text.split('\n') ?? ignored;
  const added = appendMissingLines(
    project,
    '.gitignore',
    lines.filter((line) => line.trim() !== ''),
  );
  if (added.length > 0 && !written.includes('.gitignore')) written.push('.gitignore');
  return { written, kept: kept.filter((path) => !written.includes(path)), left_out: refused };
}

/** Templates as one; a later one replaces files of earlier ones. */
export function layered(templates: readonly Template[]): Template {
  const files = new Map(templates.flatMap((one) => one.files).map((file) => [file.path, file]));
  return { files: [...files.values()], leftOut: templates.flatMap(({ leftOut }) => leftOut) };
}

/** Adds the lines for `.gitignore` that the project lacks; returns the changed file. */
export function addIgnored(project: Disk): string[] {
  return appendMissingLines(project, '.gitignore', ignored).length > 0 ? ['.gitignore'] : [];
}

/**
 * Copies the JSON Schemas to the path in the first line of the scaffolded files, for editors.
 * Returns the paths that were missing or differed.
 */
export function copySchemas(schemas: Disk, project: Disk): string[] {
  return filesBelow(schemas, '').flatMap(({ path, text }) => {
    const place = `.mailroom/schemas/${path}`;
    if (project.read(place, 2 * Buffer.byteLength(text))?.toString('utf8') === text) return [];
    project.write(place, text);
    return [place];
  });
}

function filesBelow(disk: Disk, folder: string): TextFile[] {
  return (disk.list(folder) ?? []).toSorted().flatMap((name): TextFile[] => {
    const path = folder === '' ? name : join(folder, name);
    const kind = disk.look(path)?.kind;
    if (kind === 'folder') return filesBelow(disk, path);
    const content = kind === 'file' ? readContent(disk, path) : 'gone';
    if (content === 'gone' || !content.ok)
      throw new MailroomError('E_INTERNAL', `the template has no text at ${path}`);
    return [{ path, text: content.text }];
  });
}
