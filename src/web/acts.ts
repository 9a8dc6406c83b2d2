import { link } from './state/route.ts';

/**
 * What the page does in place of a command: it sends a request, to a path of the API by its parts,
 * or opens a view or form.
 */
type Act =
  | { readonly do: 'send'; readonly label: string; readonly path: readonly string[] }
  | { readonly do: 'open'; readonly label: string; readonly to: string };

/** The ids of runs by which a command is read: an end of one may be that of a thread, too. */
type Runs = readonly string[];

/** What the page does in place of a command that a document names; null: only a shell does it. */
export function actOf(command: string, runs: Runs = []): Act | null {
  const [program, verb, ...rest] = wordsOf(command.split('\n', 1)[0] ?? '');
  const [first, second] = rest;
  if (program !== 'mailroom' || verb === undefined || first === undefined) return null;
  switch (verb) {
    case 'unpause':
      return unpauseOf(first, runs);
    case 'workers':
      return first === 'unpause' && second !== undefined
        ? sends(`Continue ${second}`, ['workers', second, 'unpause'])
        : null;
    case 'retry':
      return second === undefined
        ? sends('Retry', ['messages', first, 'retry'])
        : sends(`Retry ${second}`, ['workflow-runs', first, 'retry', second]);
    case 'resume':
      // Its file is edited first.
      return rest.includes('--update') ? null : sends('Resume', ['workflow-runs', first, 'resume']);
    case 'approve':
    case 'reject':
      // A turn is approved by its name alone, a gate by its run and step.
      return opens('Answer', link('inbox', isTurn(first) ? first : `${first}/${second ?? ''}`));
    case 'reply':
      return opens('Answer', link('inbox', first));
    case 'show':
      return isTurn(first)
        ? opens('Open the turn', link('turns', first))
        : opens('Open', link('messages', first));
    case 'why':
      return opens('Why?', link('why', first));
    case 'send':
      return opens('Write the message', `${link('send', first)}${withOptions(rest)}`);
    default:
      return null;
  }
}

function unpauseOf(what: string, runs: Runs): Act | null {
  if (what === 'all') return sends('Continue all', ['unpause']);
  if (runs.some((run) => run.endsWith(what)))
    return sends('Continue the run', ['workflow-runs', what, 'unpause']);
  if (isTurn(what)) return null;
  return /^[0-9a-f]{6}$/.test(what)
    ? sends('Continue the thread', ['threads', what, 'unpause'])
    : sends(`Continue ${what}`, ['roles', what, 'unpause']);
}

/** The thread and the type of a message, as its form reads them. */
function withOptions(words: readonly string[]): string {
  const given = ['thread', 'type'].flatMap((name) => {
    const value = words[words.indexOf(`--${name}`) + 1];
    return words.includes(`--${name}`) && value !== undefined ? [[name, value]] : [];
  });
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function sends(label: string, path: readonly string[]): Act {
  return { do: 'send', label, path };
}

function opens(label: string, to: string): Act {
  return { do: 'open', label, to };
}

export function isTurn(word: string): boolean {
  return /^t\d+$/.test(word);
}

/** The words of a command line, of which some are quoted as `shellWord` does. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\'|"[^"]*"|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\(')|"([^"]*)"/g, (_all, single = '', escaped = '', double = '') =>
      [single, escaped, double].join(''),
    ),
  );
}
