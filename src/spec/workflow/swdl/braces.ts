import type { Path } from '../../yaml.ts';
import type { Lowering, Place } from './facts.ts';

/** What only an expression would say: the beginning of a path that leads somewhere. */
const reference = String.raw`(?:stages\.[\w-]+\.(?:outputs|status)|parameters\.\w|context\.repo_structure|run\.(?:id|started_at)|workflow\.(?:id|name|version)|env\.\w)[\w.[\]'-]*`;
const whole = new RegExp(`^\\s*(${reference})\\s*$`);
/** `{{ x }}` and `${ x }`, as other template languages write it. */
const otherBraces = new RegExp(
  `(?<!\\$)\\{\\{\\s*(${reference})\\s*\\}\\}|\\$\\{\\s*(${reference})\\s*\\}`,
  'g',
);

/** Warns of an expression without its braces: it is handed over as the text that stands there. */
export function warnUnbraced(text: string, path: Path, place: Place, { scribe }: Lowering): void {
  const warn = (start: number, written: string, expression: string): void =>
    scribe.warnAt(
      path,
      { start, end: start + written.length },
      `\`${written}\` is a plain string here, not what it refers to`,
      `write \`\${{ ${expression} }}\``,
    );
  const bare = whole.exec(text)?.[1] ?? (place.item && text.trim() === 'item' ? 'item' : null);
  if (bare !== null) return warn(text.indexOf(bare), bare, bare);
  for (const found of text.matchAll(otherBraces)) warn(found.index, found[0], (found[1] ?? found[2])!);
}
