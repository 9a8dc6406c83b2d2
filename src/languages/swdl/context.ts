import { referencesOf } from '../../expressions/references.ts';
import { nodesOf, type Tree } from '../../expressions/tree.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering, Place } from './facts.ts';
import { languageAt } from './language.ts';

/** The only name of `context` that every run has. */
const structure = 'repo_structure';

/**
 * Rejects an expression that needs a value of `context` which the run does not have: its stage
 * would fail. Reports nothing if the stage may be skipped, or the expression can do without the
 * value.
 */
export function refuseAbsentContext(tree: Tree, path: Path, place: Place, lowering: Lowering): void {
  const { diagnostics } = lowering;
  const { starting, files } = lowering.context;
  if (!isSurelyEvaluated(tree, place, lowering)) return;
  for (const reference of referencesOf(tree, languageAt(place))) {
    const [namespace, key] = reference.path;
    const name = key?.name;
    if (reference.guarded || namespace?.name?.toLowerCase() !== 'context' || name == null) continue;
    const span = key?.span ?? reference.span;
    const isStructure = name.toLowerCase() === structure;
    if (isStructure ? files.tracked.length > 0 : starting === null) continue;
    const given = [...(starting?.context ?? [])];
    if (given.some((each) => each.toLowerCase() === name.toLowerCase())) continue;
    const message = isStructure
      ? '`context.repo_structure` has no value: git tracks no file of this project'
      : `nothing sets \`context.${name}\``;
    const near = isStructure ? null : didYouMean(name, [...given, structure]);
    const hint =
      near ?? (isStructure ? 'run `git init` and `git add`' : `give it by \`--context ${name}=…\``);
    if (starting === null) diagnostics.warnAt(path, span, message, hint);
    else diagnostics.errorAt('E_VAR_MISSING', path, span, message, hint);
  }
}

/** Whether every run evaluates this expression completely. */
function isSurelyEvaluated(
  tree: Tree,
  { stage, over }: Place,
  { stages, order, context }: Lowering,
): boolean {
  const only = context.starting?.only ?? null;
  if (over || (only !== null && stage !== only)) return false;
  if (nodesOf(tree).some(({ kind }) => kind === 'logic' || kind === 'choice')) return false;
  return ![...stages.values()].some(
    ({ input }) =>
      input.condition != null &&
      (input.id === stage || (stage !== null && order.comesAfter(stage, input.id))),
  );
}
