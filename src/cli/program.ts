import { Argument, Command, CommanderError, Option } from 'commander';
import { asCalled } from './called.ts';
import { mail } from './commands/mail.ts';
import { project } from './commands/project.ts';
import type { ArgumentRow, CommandRow, OptionRow } from './commands/table.ts';
import { workflows } from './commands/workflows.ts';
import type { Context, Start } from './context.ts';
import { makeContext } from './context.ts';
import type { Extension } from './extension.ts';
import type { Terminal } from './terminal.ts';

/** The commands under their headings in the help. */
const groups = { project, mail, workflows };
const heads = { project: 'The project:', mail: 'The mail:', workflows: 'Workflows:' };

const about =
  'Hands work between headless coding agents by files. Each role has an inbox and an outbox, a protocol in YAML says who may ask ' +
  'whom for what, and one controller moves the mail and starts each role that can work. Workflows in YAML run on the same engine.';

const codes = `
Exit codes:
  0    done
  1    it ran and failed
  2    wrong command line or configuration; nothing started
  3    a path would leave the project
  124  timed out
  130  cancelled

Examples:
  $ mailroom init my-project && cd my-project
  $ mailroom send architect --message "Add a --json flag"
  $ mailroom up
  $ mailroom run first-look

\`mailroom help topics\` lists the documentation; \`mailroom explain E_BUDGET\` explains a code.`;

/**
 * Every command with its options, ready to parse. Errors are thrown; no command ends the process.
 */
export function makeProgram(
  start: Start,
  terminal: Terminal,
  extensions: readonly Extension[] = [],
): { program: Command; context: Context } {
  const program = new Command(start.name);
  program
    .description(about)
    .version(start.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .commandsGroup('The project:')
    .helpCommand(false)
    .option('-C, --project <dir>', 'the project, instead of the one around the current folder')
    .option('--no-color', 'print without colours, as `$NO_COLOR` does')
    .option('--debug', 'show where in the program an error comes from')
    .addHelpText('after', codes)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(asCalled(text, start.name)),
      writeErr: () => {},
      outputError: () => {},
    })
    .configureHelp({
      helpWidth: Math.min(100, terminal.columns()),
      // Commander leaves columns of fewer than 40 characters to the terminal, which breaks words.
      minWidthToWrap: 20,
      showGlobalOptions: true,
      // `[options]` after every command would add nothing.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
    });
  addVersion(program, () => terminal.write(`${start.version}\n`));
  const addedRoutes: Context['addedRoutes'] = async (server) =>
    (await Promise.all(extensions.map(async ({ routes }) => routes?.(server) ?? []))).flat();
  const addedTools: Context['addedTools'] = async () =>
    (await Promise.all(extensions.map(async ({ tools }) => (await tools?.(context)) ?? []))).flat();
  const context = makeContext(start, terminal, { program, addedRoutes, addedTools });
  for (const group of ['project', 'mail', 'workflows'] as const) {
    program.commandsGroup(heads[group]);
    const added = extensions.map(({ commands }) => commands?.[group] ?? {});
    for (const commands of [groups[group], ...added])
      for (const [name, row] of Object.entries(commands)) addCommand(program, context, name, row);
  }
  return { program, context };
}

/** `mailroom version` and `-V`, which people try first as well. */
function addVersion(program: Command, print: () => void): void {
  program.command('version', { hidden: true }).description('print the version').action(print);
  program.addOption(new Option('-V').hideHelp()).on('option:V', () => {
    print();
    throw new CommanderError(0, 'commander.version', '');
  });
}

function addCommand(program: Command, context: Context, name: string, row: CommandRow): void {
  const command = program.command(name, { hidden: row.isHidden === true }).description(row.about);
  for (const [syntax, given] of Object.entries(row.arguments ?? {}))
    command.addArgument(argumentOf(syntax, given));
  for (const [flags, given] of Object.entries(row.options ?? {})) addOption(command, flags, given);
  const head = row.examples.length > 1 ? 'Examples' : 'Example';
  const lines = row.examples.map((line) => `\n  $ ${line}`);
  if (lines.length > 0) command.addHelpText('after', `\n${head}:${lines.join('')}`);
  command.action((...given: unknown[]) =>
    context.act(async () => {
      const action = await row.run();
      // The last value is the command.
      return action(context, ...(given.slice(0, -1).map((value) => value ?? null) as never[]));
    }),
  );
}

function argumentOf(syntax: string, given: string | ArgumentRow): Argument {
  if (typeof given === 'string') return new Argument(syntax, given);
  const argument = new Argument(syntax, given.about).choices(given.choices);
  return given.default === undefined ? argument : argument.default(given.default);
}

function addOption(command: Command, flags: string, given: string | OptionRow): void {
  const row: OptionRow = typeof given === 'string' ? { about: given } : given;
  const option = new Option(flags, row.about).default(row.default).conflicts(row.conflicts ?? []);
  if (row.repeatable === true)
    option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  if (option.optional) takeAfterEquals(command, option);
  command.addOption(option);
}

/** Lets an option take its value only after `=`: the next word is an argument of the command. */
function takeAfterEquals(command: Command, option: Option): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const end = words.indexOf('--');
    return parse(
      words.map((word, at) => (word === option.long && (end === -1 || at < end) ? `${word}=` : word)),
    );
  };
  option.argParser((value) => value === '' || value);
}
