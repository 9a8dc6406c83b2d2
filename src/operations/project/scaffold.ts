import { MailroomError } from '../../kernel/errors.ts';
import { readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { appendMissingLines, writeMissing, type TextFile } from './project-files.ts';

/** The line of a template's mailroom.yaml with the provider of the roles. */
const providerLine = /^( *provider: )rehearsal$/m;

/** The template whose files every other one has, too, unless it brings its own. */
const base = 'feature-team';

/**
 * Copies a template into a project, keeping existing files; `gitignore` has lines for `.gitignore`,
 * which npm would not publish under its own name. `provider` replaces the rehearsal agents.
 */
export function copyTemplate(
  templates: Disk,
  template: string,
  project: Disk,
  provider: string,
): { written: string[]; kept: string[] } {
  const all = [base, template].flatMap((folder) =>
    filesBelow(templates, folder).map(({ path, text }) => [path.slice(folder.length + 1), text] as const),
  );
  const files = [...new Map(all)].map(([path, text]) => ({
    path,
    text: path === 'mailroom.yaml' ? text.replace(providerLine, `$1${provider}`) : text,
  }));
  const copied = files.filter(({ path }) => path !== 'gitignore');
  const written = writeMissing(project, copied);
  const lines = files.find(({ path }) => path === 'gitignore')?.text.split('\n') ?? [];
  if (
    appendMissingLines(
      project,
      '.gitignore',
      lines.filter((line) => line.trim() !== ''),
    ).length > 0
  )
    written.push('.gitignore');
  return { written, kept: copied.map(({ path }) => path).filter((path) => !written.includes(path)) };
}

/** Copies the JSON Schemas to the path in the first line of the scaffolded files, for editors. */
export function copySchemas(schemas: Disk, project: Disk): void {
  for (const { path, text } of filesBelow(schemas, '')) project.write(`.mailroom/schemas/${path}`, text);
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
