import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Services } from '../cli/services.ts';
import { rolesOnDisk } from '../store/mail-files.ts';
import { DiskMailboxes } from '../store/mailboxes.ts';
import { findProject } from '../store/find-project.ts';
import { RealDisk } from '../store/real-disk.ts';
import { copySchemas, copyTemplate, makeProjectFolder } from '../store/scaffold.ts';
import { readText } from '../store/text.ts';
import { openProject } from './project.ts';
import { workflowFile } from './workflow-file.ts';

/** What the commands ask of the world; `packageRoot` is the folder that the program is installed in. */
export function servicesOf(
  packageRoot: string,
  { environment, cwd }: Pick<Services, 'environment' | 'cwd'>,
): Services {
  const templates = new RealDisk(join(packageRoot, 'templates'));
  return {
    environment,
    cwd,
    findProject: (from, isNamed) => {
      const variable = environment['MAILROOM_PROJECT'] ?? '';
      if (!isNamed && variable !== '') return resolve(variable);
      return findProject(from, environment['HOME'] ?? homedir());
    },
    workflowFile: (reference) => workflowFile(resolve(cwd, reference)),
    readText,
    openProject: (root) => openProject(root, packageRoot),
    templates: () => templates.list('')?.toSorted() ?? [],
    scaffold: (root, template, { provider }) => {
      makeProjectFolder(root);
      const chosen = provider ?? 'rehearsal';
      const from = new RealDisk(join(templates.root, template));
      const project = new RealDisk(root);
      const copied = copyTemplate(from, project, chosen);
      copySchemas(new RealDisk(join(packageRoot, 'schemas')), project);
      new DiskMailboxes(project).prepare([...new Set([...rolesOnDisk(project), 'user'])]);
      return { ...copied, provider: chosen };
    },
    doctor: async (root, options) => {
      const { examine } = await import('./doctor.ts');
      return examine(root, packageRoot, options);
    },
  };
}
