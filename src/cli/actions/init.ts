import { relative, resolve } from 'node:path';
import { acpAgents, builtInProviders } from '../../config/config.ts';
import { orElse } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { headBranch } from '../../git/head-branch.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import { shellWord } from '../../kernel/quoting.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import { choose } from '../asking.ts';
import { line, wroteLines } from '../format.ts';
import { answer, type AsJson } from '../output.ts';
import { isOwnTemplate } from '../../project/template.ts';
import type { OwnTemplate } from '../../project/template.ts';
import type { ScaffoldResult } from '../../project/scaffold.ts';

interface InitOptions {
  readonly template?: string;
  readonly provider?: string;
  readonly fromAgents?: string | true;
  readonly for?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

export async function init(
  context: Context,
  directory: string | null,
  options: InitOptions,
): Promise<number> {
  const { call, terminal } = context;
  if (options.list === true) return await listTemplates(context, options);
  const root = directory === null ? (context.named() ?? call.cwd) : resolve(call.cwd, directory);
  if (options.for !== undefined) {
    const near = directory === null ? call.findProject(root, context.named() !== null) : root;
    return writeStubs(context, near ?? root, options.for, options);
  }
  const { template, fromAgents: from } = options;
  if (from !== undefined) return await fromAgents(context, root, from, options);
  if (template === undefined && call.protocolFiles(root).length > 0)
    return await complete(context, root, options);
  const own = await call.templates();
  const templates = own.map(({ name }) => name);
  const isOwn = template !== undefined && isOwnTemplate(template);
  if (template !== undefined && !isOwn && !templates.includes(template))
    throw new MailroomError(
      'E_USAGE',
      `there is no template \`${template}\``,
      didYouMean(template, templates) ??
        `the templates are ${templates.join(', ')}; a folder is named as ./folder, a repository by its URL`,
    );
  refuseUnknownProvider(options.provider);
  const asking = terminal.interactive && options.json !== true;
  const chosen = template ?? (asking && own.length > 1 ? await askTemplate(own) : standard(templates));
  const provider =
    options.provider ?? (asking && !isOwn ? await askProvider((name) => call.installed(name)) : null);
  return await made(context, root, options, chosen, await call.scaffold(root, chosen, { provider }));
}

/** Makes roles of the agents that the folder has for agent programs. */
async function fromAgents(
  context: Context,
  root: string,
  from: string | true,
  options: InitOptions,
): Promise<number> {
  const { call } = context;
  const [protocol] = call.protocolFiles(root);
  if (protocol !== undefined)
    throw new MailroomError(
      'E_USAGE',
      `\`--from-agents\` is for a new project, and ${root} has a protocol: ${protocol}`,
      '`mailroom add role <name>` adds a role to it',
    );
  const { provider = null } = options;
  return await made(context, root, options, null, await call.scaffoldFromAgents(root, { from, provider }));
}

/** What was made. `template`: null: none. */
async function made(
  context: Context,
  root: string,
  options: InitOptions,
  template: string | null,
  result: ScaffoldResult,
): Promise<number> {
  const { call, terminal } = context;
  if (terminal.interactive) orElse(() => call.projects.add(root), undefined);
  // Only the lines for people need the protocol, which a template may have left out.
  const definition = options.json === true ? null : await call.openProject(root).definition();
  const protocol = definition?.ok === true ? definition.value.protocol : null;
  return answer(terminal, options, { schema: 1, root, template, ...result }, () =>
    report(context, root, result, protocol),
  );
}

/** Adds what a project with a protocol lacks besides. */
async function complete({ call, terminal }: Context, root: string, options: InitOptions): Promise<number> {
  const [protocol = ''] = call.protocolFiles(root);
  if (options.provider !== undefined)
    throw new MailroomError(
      'E_USAGE',
      `\`--provider\` is for a new project, and ${root} has a protocol: ${protocol}`,
      'set `defaults.provider` in mailroom.yaml',
    );
  const written = await call.complete(root);
  const document = { schema: 1, root, template: null, written, kept: [], provider: null };
  return answer(terminal, options, document, () => [
    ...(written.length === 0 ? ['nothing is missing'] : wroteLines(written, terminal.colours)),
    `${protocol} is kept: this is a project already`,
  ]);
}

/** Writes stubs of the files that a workflow refers to by name. */
async function writeStubs(
  context: Context,
  root: string,
  reference: string,
  options: AsJson,
): Promise<number> {
  const { call, terminal } = context;
  context.enter(root);
  context.announce();
  const { workflows } = call.openProject(root);
  const { checked } = await workflows.read(reference, call.cwd);
  const { stubsFor } = await import('../../workflow/runs/stubs.ts');
  const stubs = stubsFor(checked.ok ? checked.warnings : checked.problems);
  const written = workflows.writeMissing(stubs);
  return answer(terminal, options, { schema: 1, root, written }, () =>
    written.length === 0 ? ['all that it refers to is there'] : wroteLines(written, terminal.colours),
  );
}

const otherwise = 'nothing was written';

/** The programs that a new project can use without configuration. */
const agents: readonly string[] = [
  ...builtInProviders.filter((name) => name !== 'human' && name !== 'replay'),
  ...acpAgents,
];

/**
 * The roles of a new project can use only a built-in provider or the one that the template brings.
 */
function refuseUnknownProvider(provider: string | undefined): void {
  const known = [...agents, 'rehearsal'];
  if (provider === undefined || known.includes(provider)) return;
  throw new MailroomError(
    'E_USAGE',
    `there is no provider \`${provider}\``,
    didYouMean(provider, known) ?? `the providers are ${known.join(', ')}`,
  );
}

/** The role to which the user can send mail in the new project. */
function firstRole(protocol: Protocol | null): string {
  const first = protocol && [...protocol.types.values()].find(({ from }) => from.includes('user'));
  return protocol?.start?.to ?? first?.to[0] ?? '<role>';
}

/** Worktrees have what is committed, so the new files must be. */
function committing(root: string, { written }: ScaffoldResult): string {
  if (headBranch(root) === 'none') return "git init && git add --all && git commit --message 'Start'";
  const names = [...new Set(written.map((path) => path.split('/')[0] ?? path))];
  return `git add ${names.map(shellWord).join(' ')} && git commit --message 'Add a team'   (worktrees have what is committed)`;
}

/** The default template. */
function standard(templates: readonly string[]): string {
  const first = templates.includes('feature-team') ? 'feature-team' : templates[0];
  if (first === undefined) throw new MailroomError('E_INTERNAL', 'this installation has no templates');
  return first;
}

function askTemplate(templates: readonly OwnTemplate[]): Promise<string> {
  const choices = templates.map(({ name, about }) => ({ value: name, label: name, hint: about }));
  const first = standard(templates.map(({ name }) => name));
  return choose('What kind of project?', choices, otherwise, first);
}

/** The templates that come with the program, each with its protocol as a drawing. */
async function listTemplates({ call, terminal }: Context, options: AsJson): Promise<number> {
  const { protocolText } = await import('../../graph/protocol.ts');
  const templates = await Promise.all(
    (await call.templates()).map(async ({ name, about, protocol }) => {
      const read = await protocol();
      return { name, about, protocol: read === null ? [] : protocolText(read) };
    }),
  );
  return answer(terminal, options, { schema: 1, templates }, () =>
    templates.flatMap(({ name, about, protocol }, index) => [
      ...(index === 0 ? [] : ['']),
      `${terminal.colours.bold(name)}: ${about}`,
      ...protocol.map((each) => `  ${each}`),
    ]),
  );
}

/** Asks for a program, those that are here first. Null: the template's own provider. */
async function askProvider(installed: (name: string) => boolean): Promise<string | null> {
  const [here, others] = [agents.filter(installed), agents.filter((name) => !installed(name))];
  const choices = [
    { value: '', label: 'scripted agents, for a first look: they need no account and cost nothing' },
    ...here,
    ...(others.length === 0 ? [] : [{ value: 'other', label: 'another agent program, not installed here' }]),
  ];
  const chosen = await choose('Who does the work?', choices, otherwise);
  if (chosen !== 'other') return chosen === '' ? null : chosen;
  return choose('Which one? The mail waits until it is installed.', others, otherwise);
}

/**
 * Which program does the work, and whether it can. Null: the template, which is not ours, says it.
 */
function providerLines(
  { call, terminal: { colours } }: Context,
  provider: ScaffoldResult['provider'],
): string[] {
  if (provider === null) return ['Read these files before you start: they say which programs run. Next:'];
  const missing = call.installed(provider)
    ? []
    : [colours.yellow(`${provider} is not installed here: mail waits until it is.`)];
  return [`The roles use the provider ${colours.bold(provider)}.`, ...missing, 'Next:'];
}

function report(context: Context, root: string, result: ScaffoldResult, protocol: Protocol | null): string[] {
  const { call, terminal } = context;
  const { colours } = terminal;
  const where = relative(call.cwd, root);
  const commits = protocol?.workspace.kind === 'worktree' ? [committing(root, result)] : [];
  const enter = where === '' ? '' : `cd ${shellWord(where)} && `;
  const steps = [
    ...[...commits, 'mailroom check'].map((step, index) => (index === 0 ? enter + step : step)),
    `mailroom send ${firstRole(protocol)} --message "…"`,
    'mailroom up   (Ctrl-C ends it)',
    'mailroom status, mailroom trail   (in another terminal, or afterwards)',
  ];
  return [
    ...wroteLines(result.written, colours),
    ...result.kept.map((path) => `${colours.dim('kept')}  ${path}`),
    ...result.left_out.map(({ path, why }) => `${colours.yellow('left out')} ${line(path)}: ${why}`),
    '',
    ...providerLines(context, result.provider),
    ...steps.map((step, index) => `  ${String(index + 1)}. ${step}`),
  ];
}
