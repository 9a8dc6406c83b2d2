import { readContent } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Artifact } from '../../languages/shared/artifacts.ts';
import type { Effective } from '../../languages/shared/workflow-language.ts';
import type { Settings } from './definition.ts';
import { identitiesBy } from './find-workflow.ts';
import { languagesWith, type Hooks } from './hooks.ts';
import { projectFiles } from './workflows.ts';

/**
 * A definition with the files of the project that change it. Its value is null while its text
 * cannot be read.
 */
export async function effectiveDefinition(
  disk: Disk,
  hooks: readonly Hooks[],
  text: string,
  path: string,
): Promise<Effective> {
  const [languages, { languagesOf }, { readDocument }, identityReader] = await Promise.all([
    languagesWith(hooks),
    import('../../languages/shared/workflow-language.ts'),
    import('../../languages/shared/document.ts'),
    import('../../languages/shared/identity.ts'),
  ]);
  const read = readDocument(text, path);
  if (!read.ok) return { value: null, overridden: [] };
  const [language] = languagesOf(read.value, languages);
  const effective = language?.effective?.(read.value, {
    files: projectFiles(disk, []),
    workflows: () => identitiesBy(disk, identityReader),
    overrides: [],
  });
  return effective ?? { value: read.value.value, overridden: [] };
}

/** What stages can name in a project with these settings. */
export async function projectArtifacts(
  disk: Disk,
  { protocol, config, providers, hooks }: Settings,
): Promise<readonly Artifact[]> {
  const languages = await languagesWith(hooks);
  const context = {
    protocol,
    agents: config.defaults,
    agentDefaults: config.defaults,
    files: projectFiles(disk, []),
    providers: [...providers.keys()],
  };
  return languages.flatMap(({ artifacts }) => artifacts?.(context) ?? []);
}

/**
 * Replaces the text of a definition, or with `before` null creates its file. False: the file has
 * another text now, or exists already; nothing is written then. The file keeps its permissions, and
 * a link to it stays a link.
 */
export function writeDefinition(disk: Disk, path: string, before: string | null, text: string): boolean {
  const real = disk.resolve(path);
  const content = real === null ? 'gone' : readContent(disk, real);
  const now = content === 'gone' ? null : content.ok ? content.text : undefined;
  if (now !== before) return false;
  disk.write(real ?? path, text, { mode: 'kept', sync: true });
  return true;
}
