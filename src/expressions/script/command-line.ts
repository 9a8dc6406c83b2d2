import type { Span } from '../problem.ts';
import type { Template } from '../template.ts';
import type { Tree } from '../tree.ts';

/** A probable mistake in a command line. `span` is a range in the text of the argument. */
interface CommandWarning {
  readonly argument: number;
  readonly span: Span | null;
  readonly message: string;
  readonly hint: string;
}

const shells = /^(?:sh|bash|dash|zsh|ksh|ash|fish)$/;

/** The options after which a program reads its next argument as code. */
const codeOptions: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [shells, /^-[a-z]*c$/],
  [/^python[\d.]*$/, /^-c$/],
  [/^(?:node|bun|deno)$/, /^(?:-e|--eval|-p|--print|eval)$/],
  [/^(?:perl|ruby)$/, /^-\w*e$/],
  [/^php$/, /^-r$/],
];

/** Words that only a shell interprets. */
const shellWords = new Set(['|', '||', '&&', ';', '&', '>', '>>', '<', '2>', '2>&1']);
/** Programs that accept such words as arguments. */
const readers = new Set(['find', 'fd', 'test', '[', 'expr', 'envsubst']);

/**
 * Shell syntax in a command line that runs without a shell, and values that an interpreter would
 * read as code: a value in `sh -c` can run commands. `harmless` says whether the value of an
 * expression can never be code, such as a number.
 */
export function commandWarnings(
  argv: readonly Template[],
  harmless: (tree: Tree) => boolean,
): CommandWarning[] {
  const words = argv.map(plainWord);
  const program = words[0]?.slice(words[0].lastIndexOf('/') + 1) ?? null;
  if (program === null) return [];
  const code = codeArgument(program, words);
  return [
    ...oneWord(words),
    ...(readers.has(program) ? [] : unread(program, words, code)),
    ...(code === null ? [] : pasted(program, code, argv[code]!, harmless)),
  ];
}

function plainWord(word: Template): string | null {
  const [only, other] = word;
  return only?.kind === 'text' && other === undefined ? only.text : null;
}

function codeArgument(program: string, words: readonly (string | null)[]): number | null {
  const option = codeOptions.find(([name]) => name.test(program))?.[1];
  const at = option === undefined ? -1 : words.findIndex((word) => word !== null && option.test(word));
  return at === -1 || at + 1 >= words.length ? null : at + 1;
}

/** A whole command line written as the name of the program. */
function oneWord([program, ...others]: readonly (string | null)[]): CommandWarning[] {
  if (others.length > 0 || program == null || !/^[\w.-]+\s/.test(program)) return [];
  const words = program.trim().split(/\s+/);
  const isForShell = words.some((word) => shellWords.has(word));
  const list = isForShell ? `[sh, -c, '${program}']` : `[${words.join(', ')}]`;
  return [
    { argument: 0, span: null, message: `no program is called \`${program}\``, hint: `write \`${list}\`` },
  ];
}

/** Reports only the first of them. */
function unread(program: string, words: readonly (string | null)[], code: number | null): CommandWarning[] {
  const isUnread = (word: string | null): word is string =>
    word !== null && (shellWords.has(word) || /^\$[A-Z_][A-Z\d_]*(?:\/|$)/.test(word));
  const argument = words.findIndex((word, index) => index > 0 && index !== code && isUnread(word));
  if (argument === -1) return [];
  const message = `\`${program}\` gets \`${words[argument]!}\` as an argument: no shell reads a command`;
  return [{ argument, span: null, message, hint: "use a shell where you need one: `sh -c '…'`" }];
}

function pasted(
  program: string,
  argument: number,
  text: Template,
  harmless: (tree: Tree) => boolean,
): CommandWarning[] {
  const hint = shells.test(program)
    ? `pass it as an argument, which the script reads as "$1": \`${program} -c 'echo "$1"' ${program} VALUE\``
    : 'pass it as an argument of its own, and let the code read that';
  return text.flatMap((part) => {
    if (part.kind === 'text' || harmless(part.tree)) return [];
    const message = `\`${program}\` reads this text as code: a value in it can run commands`;
    return [{ argument, span: part.tree.span, message, hint }];
  });
}
