import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { Hook } from '../../workflow/automation.ts';
import type { Path } from '../../yaml/yaml.ts';
import { lowerText } from './lowering.ts';
import { outside, type Lowering } from './facts.ts';
import type { HookInput } from './schema.ts';
import { ownValue } from '../../kernel/own.ts';

const ends = { on_start: 'start', on_complete: 'complete', on_failure: 'failure' } as const;

export function lowerHooks(lowering: Lowering): Hook[] {
  const hooks = lowering.file.hooks ?? {};
  return (Object.keys(ends) as (keyof typeof ends)[]).flatMap((key) => {
    const input = hooks[key];
    return input === undefined ? [] : lowerHook(ends[key], input, ['hooks', key], lowering);
  });
}

function lowerHook(on: Hook['on'], input: HookInput, path: Path, lowering: Lowering): Hook {
  const place = { ...outside, over: on !== 'start' };
  const run = input.run === undefined ? null : lowerCommand(input.run, [...path, 'run'], place, lowering);
  const { notify } = input;
  if (notify === undefined) return { on, run, notify: null };
  const at = [...path, 'notify'];
  const { channel, message } = typeof notify === 'string' ? { channel: notify } : notify;
  const [, scheme = 'channel', address = ''] = /^(?:([a-z][a-z0-9+.-]*):)?(.*)$/s.exec(channel) ?? [];
  const target = lowerText(address, typeof notify === 'string' ? at : [...at, 'channel'], place, lowering);
  const notifier = ownValue(lowering.context.notify, scheme) ?? null;
  const words =
    message === undefined ? {} : { words: lowerText(message, [...at, 'message'], place, lowering, true) };
  return { on, run, notify: null, tell: { scheme, target, notifier, ...words } };
}

/**
 * A command line as its words: it is split before values are inserted, so that no value adds a
 * word.
 */
function lowerCommand(
  text: string,
  path: Path,
  place: Parameters<typeof lowerText>[2],
  lowering: Lowering,
): Template[] | null {
  const words = splitWords(lowerText(text, path, place, lowering));
  if (words !== null) return words.map((word) => lowering.diagnostics.from(path, word));
  lowering.diagnostics.error('E_VALUE', path, '`run` must be a command line whose quotes are closed', null);
  return null;
}

/**
 * The words of a line, split at blanks and quotes like in a shell; an expression is part of one
 * word. Null: a quote is not closed.
 */
function splitWords(line: Template): Template[] | null {
  const words: Template[] = [];
  let word: string | null = null;
  let parts: TemplatePart[] = [];
  let quote: string | null = null;
  const cut = (): void => {
    if (word !== null && word !== '') parts.push({ kind: 'text', text: word });
    if (word !== null) words.push(parts);
    [word, parts] = [null, []];
  };
  for (const part of line) {
    if (part.kind === 'expression') {
      if (word !== null && word !== '') parts.push({ kind: 'text', text: word });
      parts.push(part);
      word = '';
      continue;
    }
    for (const letter of part.text) {
      if (letter === quote) quote = null;
      else if (quote === null && (letter === '"' || letter === "'")) [quote, word] = [letter, word ?? ''];
      else if (quote === null && /\s/.test(letter)) cut();
      else word = (word ?? '') + letter;
    }
  }
  cut();
  return quote === null ? words : null;
}
