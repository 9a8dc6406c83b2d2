/*
 * Which files of a project its definitions run. A command that finds a file in another way, such as
 * `npm test` in package.json, names none.
 */

/** Programs that run the files which are their arguments, or another command. */
const runners: ReadonlySet<string> = new Set(
  (
    'sh bash dash zsh ksh fish pwsh . source exec eval env nice nohup sudo time timeout xargs watch ' +
    'node nodejs deno bun tsx ts-node npx bunx python python2 python3 pypy uv uvx poetry pipenv ruby perl php ' +
    'lua Rscript julia java groovy make gmake just task cmake go dotnet awk gawk osascript'
  ).split(' '),
);
/** Where a definition has a command line as text. */
const textKeys: ReadonlySet<string> = new Set(['script', 'run', 'command', 'check', 'poll', 'shell']);

/**
 * The files that the commands in a definition name, as they are written there. `isFile`: whether
 * there is a file of this name; one that is run counts whether or not there is one.
 */
export function scriptsIn(definition: unknown, isFile: (path: string) => boolean, key = ''): string[] {
  if (typeof definition === 'string') return textKeys.has(key) ? ofText(definition, isFile) : [];
  if (Array.isArray(definition)) {
    const words = definition.filter((each) => typeof each === 'string');
    if (words.length === definition.length) return ofCommand(words, isFile);
    return definition.flatMap((each) => scriptsIn(each, isFile, key));
  }
  if (typeof definition !== 'object' || definition === null) return [];
  return Object.entries(definition).flatMap(([name, each]) => scriptsIn(each, isFile, name));
}

function ofText(text: string, isFile: (path: string) => boolean): string[] {
  const commands = text.split(/[;&|(){}`\n]|\$\(|\b(?:then|do|else|if|while|until)\b/);
  return commands.flatMap((command) => {
    const words = command.split(/\s+/).map((word) => word.replaceAll(/^["']+|["']+$/g, ''));
    const start = words.findIndex((word) => word !== '' && word !== '!' && !/^\w+=/.test(word));
    return start < 0 ? [] : ofCommand(words.slice(start), isFile);
  });
}

function ofCommand([program = '', ...given]: readonly string[], isFile: (path: string) => boolean): string[] {
  const own = program.includes('/') ? [program] : [];
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (!runners.has(name) && !/^(?:python|ruby|node)[\d.]+$/.test(name)) return own;
  const first = given.findIndex((word) => !word.startsWith('-'));
  return [
    ...own,
    ...given.flatMap((word, index) => {
      if (/\s/.test(word)) return ofText(word, isFile);
      if (runners.has(word)) return ofCommand(given.slice(index), isFile);
      return index === first || isFile(word) ? [word] : [];
    }),
  ];
}
