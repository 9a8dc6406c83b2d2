import { orNull } from '../../expressions/build.ts';
import { referencesOf } from '../../expressions/references.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering, Place } from './facts.ts';
import { refuseAbsentContext } from './context.ts';
import { languageAt } from './language.ts';
import { translate, type Known } from './trees.ts';

/** A string with expressions. `lenient`: missing values are null. */
export function lowerText(
  text: string,
  path: Path,
  place: Place,
  lowering: Lowering,
  lenient = false,
): Template {
  const { diagnostics } = lowering;
  warnUnbraced(text, path, place, lowering);
  const template = diagnostics.template(path, text, languageAt(place));
  const lowered = template.map((part): TemplatePart => {
    if (part.kind === 'text') return part;
    if (!lenient) refuseAbsentContext(part.tree, path, place, lowering);
    noteReads(part.tree, place, lowering);
    const tree = translate(part.tree, knownOf(lowering, place));
    return {
      kind: 'expression',
      tree: diagnostics.writtenAs(path, lenient ? orNull(tree) : tree, part.tree),
    };
  });
  return diagnostics.from(path, lowered);
}

/** A string that is one expression. */
export function lowerExpression(text: string, path: Path, place: Place, lowering: Lowering): Tree {
  const tree = lowering.diagnostics.expression(path, text, languageAt(place));
  noteReads(tree, place, lowering);
  return lowering.diagnostics.writtenAs(path, translate(tree, knownOf(lowering, place)), tree);
}

function noteReads(tree: Tree, place: Place, { reads }: Lowering): void {
  if (place.stage === null) return;
  const noted = reads.get(place.stage) ?? new Set();
  reads.set(place.stage, noted);
  for (const { path } of referencesOf(tree, languageAt(place)))
    if (path[0]?.name?.toLowerCase() === 'stages' && path[1]?.name != null) noted.add(path[1].name);
}

/** `workflow` does not depend on the run; outside stages its current one is what failed first. */
function knownOf({ file }: Lowering, { stage }: Place): Known {
  const { id = '', name = '', version = '', description = null, author = null } = file.workflow ?? {};
  const words = { id, name, version, description, author, ...(stage !== null && { current_stage: stage }) };
  return ([namespace = '', word = '', ...more]) => {
    if (namespace.toLowerCase() !== 'workflow' || more.length > 0) return undefined;
    const key = Object.keys(words).find((each) => each === word.toLowerCase());
    return key === undefined ? undefined : words[key as keyof typeof words];
  };
}

/** Text that only an expression would contain: the beginning of a valid path. */
const reference = String.raw`(?:stages\.[\w-]+\.(?:outputs|status)|parameters\.\w|context\.repo_structure|run\.(?:id|started_at)|workflow\.(?:id|name|version)|env\.\w)[\w.[\]'-]*`;

const whole = new RegExp(`^\\s*(${reference})\\s*$`);

/** `{{ x }}` and `${ x }`, the syntax of other template languages. */
const otherBraces = new RegExp(
  `(?<!\\$)\\{\\{\\s*(${reference})\\s*\\}\\}|\\$\\{\\s*(${reference})\\s*\\}`,
  'g',
);

/** Warns of an expression without its braces: it would be passed on as literal text. */
function warnUnbraced(text: string, path: Path, place: Place, { diagnostics }: Lowering): void {
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
