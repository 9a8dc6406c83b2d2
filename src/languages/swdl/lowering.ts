import type { Tree } from '../../expressions/tree.ts';
import type { Template } from '../../expressions/template.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering, Place } from './facts.ts';
import { refuseAbsentContext } from './context.ts';
import { languageAt } from './language.ts';
import { checkReads } from './reads.ts';
import { orNull, translate, type Known } from './trees.ts';

/** A text with expressions, checked and translated. */
export function lowerText(text: string, path: Path, place: Place, lowering: Lowering): Template {
  return translateText(readText(text, path, place, lowering), lowering, false);
}

/** The same as it was written: its expressions are checked. `lenient`: what is not there is nothing. */
export function readText(
  text: string,
  path: Path,
  place: Place,
  lowering: Lowering,
  lenient = false,
): Template {
  warnUnbraced(text, path, place, lowering);
  const template = lowering.diagnostics.template(path, text, languageAt(place));
  for (const part of template) {
    if (part.kind === 'text') continue;
    checkReads(part.tree, path, place, lowering);
    if (!lenient) refuseAbsentContext(part.tree, path, place, lowering);
  }
  return template;
}

/** `lenient`: what is not there is nothing. */
export function translateText(template: Template, lowering: Lowering, lenient: boolean): Template {
  return template.map((part) => {
    if (part.kind === 'text') return part;
    const tree = translate(part.tree, knownOf(lowering));
    return { kind: 'expression', tree: lenient ? orNull(tree) : tree };
  });
}

/** A text that is one expression. */
export function lowerExpression(text: string, path: Path, place: Place, lowering: Lowering): Tree {
  return translateTree(readExpression(text, path, place, lowering), lowering);
}

/** The same as it was written: it is checked. */
export function readExpression(text: string, path: Path, place: Place, lowering: Lowering): Tree {
  const tree = lowering.diagnostics.expression(path, text, languageAt(place));
  checkReads(tree, path, place, lowering);
  return tree;
}

export function translateTree(tree: Tree, lowering: Lowering): Tree {
  return translate(tree, knownOf(lowering));
}

/** What `workflow` means does not depend on the run. */
function knownOf({ file }: Lowering): Known {
  const { id = '', name = '', version = '', description = null, author = null } = file.workflow ?? {};
  const words = { id, name, version, description, author };
  return ([namespace = '', word = '', ...more]) => {
    if (namespace.toLowerCase() !== 'workflow' || more.length > 0) return undefined;
    const key = Object.keys(words).find((each) => each === word.toLowerCase());
    return key === undefined ? undefined : words[key as keyof typeof words];
  };
}

/** What only an expression would say: the beginning of a path that leads somewhere. */
const reference = String.raw`(?:stages\.[\w-]+\.(?:outputs|status)|parameters\.\w|context\.repo_structure|run\.(?:id|started_at)|workflow\.(?:id|name|version)|env\.\w)[\w.[\]'-]*`;

const whole = new RegExp(`^\\s*(${reference})\\s*$`);

/** `{{ x }}` and `${ x }`, as other template languages write it. */
const otherBraces = new RegExp(
  `(?<!\\$)\\{\\{\\s*(${reference})\\s*\\}\\}|\\$\\{\\s*(${reference})\\s*\\}`,
  'g',
);

/** Warns of an expression without its braces: it is handed over as the text that stands there. */
export function warnUnbraced(text: string, path: Path, place: Place, { diagnostics }: Lowering): void {
  const warn = (start: number, written: string, expression: string): void =>
    diagnostics.warnAt(
      path,
      { start, end: start + written.length },
      `\`${written}\` is a plain string here, not what it refers to`,
      `write \`\${{ ${expression} }}\``,
    );
  const bare = whole.exec(text)?.[1] ?? (place.item && text.trim() === 'item' ? 'item' : null);
  if (bare !== null) return warn(text.indexOf(bare), bare, bare);
  for (const found of text.matchAll(otherBraces)) warn(found.index, found[0], (found[1] ?? found[2])!);
}
