import { join, normalize } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { orElse } from '../../kernel/contained.ts';
import { scriptsIn } from '../../kernel/scripts.ts';
import type { Settings } from './definition.ts';
import { listWorkflowFiles, readConfigFile, type TextFile } from './project-files.ts';
import { readProtocol } from './protocol-files.ts';
import { readWorkflow } from './workflows.ts';

/**
 * The files that the rules of a project name besides themselves, relative to it, as they are now:
 * what the protocol extends, what workflows are made of, and the scripts of commands.
 */
export async function namedFiles(disk: Disk, settings: Omit<Settings, 'protocol'>): Promise<string[]> {
  const { parse } = await import('yaml');
  const workflows = await Promise.all(
    listWorkflowFiles(disk).map((file) =>
      readWorkflow(disk, { ...settings, protocol: null }, join(disk.root, file)),
    ),
  );
  const parts = workflows.flatMap((workflow) => workflow.parts());
  const configs = (['mailroom.yaml', 'agents.yaml'] as const).flatMap(
    (name) => readConfigFile(disk, name) ?? [],
  );
  const protocol = readProtocol(disk).files.map(({ file, text }) => ({ path: file, text }));
  // A command may name a file of the project by its absolute path.
  const read = (text: string): unknown => orElse(() => parse(text.replaceAll(`${disk.root}/`, './')), null);
  const scripts = [...configs, ...protocol, ...parts].flatMap(({ path, text }: TextFile) =>
    /\.(?:ya?ml|json)$/.test(path) ? scriptsIn(read(text)) : [],
  );
  const named = [...settings.extended, ...parts.map(({ path }) => path), ...scripts];
  return [...new Set(named.map((path) => normalize(path)))].filter((path) => !/^(?:\.\.|\/)/.test(path));
}
