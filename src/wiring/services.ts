import { MailroomError } from '../kernel/errors.ts';
import { Mailboxes } from '../mail/mailboxes/mailboxes.ts';
import { defaultConfig } from '../config/config.ts';
import { programFor } from '../operations/project/doctor-agents.ts';
import { findProgram } from '../process/proc.ts';
import { orElse } from '../kernel/contained.ts';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { KnownProjects } from '../operations/known-projects.ts';
import type { Template } from '../operations/project/template.ts';
import type { Services } from '../operations/services.ts';
import { rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import { findProject, isProtocolFile } from '../disk/find-project.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { readText } from '../disk/text.ts';
import { onKey } from '../process/keyboard.ts';
import { openProject } from './project.ts';
import { workflowFile } from '../operations/project/workflow-file.ts';
import { makeProjectFolder } from '../host/project-folder.ts';

/** The services of the commands; `packageRoot`: the folder of the installed program. */
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
    onKey,
    edit: (text) => editText(environment, text),
    openProject: (root) => openProject(root, packageRoot),
    openEdited: async (file, unsaved) => {
      const { EditedProject } = await import('../operations/edited-project.ts');
      const root = findProject(dirname(file), environment['HOME'] ?? homedir());
      return new EditedProject(root ?? dirname(file), root !== null, unsaved, packageRoot);
    },
    projects: new KnownProjects(environment),
    templates: async () => {
      const { ownTemplates, protocolOf } = await import('../operations/project/scaffold.ts');
      return Object.entries(ownTemplates).map(([name, { about }]) => ({
        name,
        about,
        protocol: async () => protocolOf(await readLayers(templates, name)),
      }));
    },
    installed: (provider) => {
      const program = programFor(defaultConfig, provider);
      return program === null || findProgram(program, environment['PATH'], cwd) === 'found';
    },
    // A folder that does not exist yet has none.
    protocolFiles: (root) =>
      (orElse(() => new RealDisk(root).list('protocols'), null) ?? [])
        .filter(isProtocolFile)
        .map((name) => `protocols/${name}`),
    complete: async (root) => {
      const { addIgnored } = await import('../operations/project/scaffold.ts');
      const project = openProject(root, packageRoot);
      const ignored = addIgnored(new RealDisk(root));
      const definition = await project.definition();
      return [...ignored, ...(definition.ok ? project.prepare(definition.value.protocol) : [])];
    },
    scaffold: (root, template, { provider }) =>
      makeProject(templates, packageRoot, cwd, { root, template, provider }),
    doctor: async (root, options) => {
      const { examine } = await import('../operations/project/doctor.ts');
      return examine(root, packageRoot, options);
    },
  };
}

async function editText(environment: Services['environment'], text: string): Promise<string | null> {
  const command = [environment['VISUAL'], environment['EDITOR']].find((each = '') => each.trim() !== '');
  if (command === undefined) return null;
  const { edit } = await import('../process/editor.ts');
  const edited = await edit(command, text);
  if (edited.is === 'given-up')
    throw new MailroomError('E_CANCELLED', `\`${command}\` ended with an error: nothing was sent`);
  return edited.is === 'saved' ? edited.text : null;
}

/** A template that comes with the program, with the files of those that it is laid over. */
async function readLayers(templates: RealDisk, name: string): Promise<Template> {
  const { layered, layersOf } = await import('../operations/project/scaffold.ts');
  const { readTemplate } = await import('../operations/project/template.ts');
  return layered(await Promise.all(layersOf(name).map((each) => readTemplate(`./${each}`, templates.root))));
}

/** Writes a new project; `cwd`: where a template of the user is looked for. */
async function makeProject(
  templates: RealDisk,
  packageRoot: string,
  cwd: string,
  { root, template, provider }: { root: string; template: string; provider: string | null },
): ReturnType<Services['scaffold']> {
  const [{ isOwnTemplate, readTemplate }, { copyTemplate }, { copySchemas }] = await Promise.all([
    import('../operations/project/template.ts'),
    import('../operations/project/scaffold.ts'),
    import('../operations/project/project-files.ts'),
  ]);
  const isOwn = isOwnTemplate(template);
  const chosen = isOwn ? provider : (provider ?? 'rehearsal');
  const files = isOwn ? await readTemplate(template, cwd) : await readLayers(templates, template);
  makeProjectFolder(root);
  openProject(root, packageRoot);
  const project = new RealDisk(root);
  const copied = copyTemplate(files, project, chosen);
  copySchemas(new RealDisk(join(packageRoot, 'schemas')), project);
  new Mailboxes(project).prepare([...new Set([...rolesOnDisk(project), 'user'])]);
  return { ...copied, provider: chosen };
}
