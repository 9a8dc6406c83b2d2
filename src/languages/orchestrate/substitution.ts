import type { Span } from '../../expressions/problem.ts';

/** A part of a string: literal, or a variable, split at its dots. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly words: readonly string[]; readonly span: Span };

interface Unreadable {
  readonly message: string;
  readonly span: Span;
}

const variable = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/;

/**
 * The parts of a string: `${a.b}` is a variable, `$$` a dollar, and `${{ … }}` stays unchanged, for
 * other tools. Literal parts are neither empty nor adjacent. Unreadable parts are left out and
 * reported. Takes linear time.
 */
export function readParts(text: string): { readonly parts: Part[]; readonly problems: Unreadable[] } {
  const parts: Part[] = [];
  const problems: Unreadable[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length;) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1) {
      plain += text.slice(at);
      break;
    }
    plain += text.slice(at, dollar);
    const mark = markAt(text, dollar);
    at = mark.end;
    if (mark.kind === 'text') plain += mark.text;
    else if (mark.kind === 'problem') problems.push(mark);
    else {
      flush();
      parts.push({ kind: 'variable', words: mark.words, span: mark.span });
    }
  }
  flush();
  return { parts, problems };
}

type Mark = { readonly end: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly words: readonly string[]; readonly span: Span }
  | ({ readonly kind: 'problem' } & Unreadable)
);

/** What begins with the dollar at a position. */
function markAt(text: string, at: number): Mark {
  if (text.startsWith('$$', at)) return { kind: 'text', text: '$', end: at + 2 };
  if (text.startsWith('${{', at)) {
    const close = text.indexOf('}}', at);
    const end = close === -1 ? text.length : close + 2;
    return { kind: 'text', text: text.slice(at, end), end };
  }
  if (!text.startsWith('${', at)) return { kind: 'text', text: '$', end: at + 1 };
  const close = text.indexOf('}', at);
  if (close === -1) {
    const message = '`${` is not closed; a dollar itself is written `$$`';
    return { kind: 'problem', message, span: { start: at, end: at + 2 }, end: text.length };
  }
  const end = close + 1;
  const span = { start: at, end };
  const inside = text.slice(at + 2, close).trim();
  if (variable.test(inside)) return { kind: 'variable', words: inside.split('.'), span, end };
  const message = `\`${text.slice(at, end)}\` is not a variable: \`\${context.key}\`, \`\${steps.Name.output}\``;
  return { kind: 'problem', message, span, end };
}
