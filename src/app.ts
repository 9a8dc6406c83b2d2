import { join, resolve } from 'node:path';
import process from 'node:process';
import metadata from '../package.json' with { type: 'json' };
import { openProject } from './app/project.ts';
import { runCli } from './cli/main.ts';
import type { Services } from './cli/services.ts';
import { rolesOnDisk } from './store/mail-files.ts';
import { DiskMailboxes } from './store/mailboxes.ts';
import { findProject } from './store/project.ts';
import { RealDisk } from './store/real-disk.ts';
import { copySchemas, copyTemplate, makeProjectFolder } from './store/scaffold.ts';
import { readText } from './store/text.ts';

/** Runs the program with the arguments that follow its name; `packageRoot` is the folder that it is installed in. */
export function main(argv: readonly string[], packageRoot: string): Promise<number> {
  return runCli(argv, servicesOf(packageRoot));
}

function servicesOf(packageRoot: string): Services {
  const environment = process.env;
  const templates = new RealDisk(join(packageRoot, 'templates'));
  return {
    version: metadata.version,
    environment,
    cwd: process.cwd(),
    packageRoot,
    findProject: (from, isNamed) => {
      const variable = environment['MAILROOM_PROJECT'] ?? '';
      return isNamed || variable === '' ? findProject(from) : resolve(variable);
    },
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
    doctor: async (root) => {
      const { examine } = await import('./app/doctor.ts');
      return examine(root, packageRoot);
    },
  };
}
