import type { Template } from '../../expressions/template.ts';
import type { Types } from '../../expressions/types.ts';
import { bodyOf } from '../bodies.ts';
import type { Child } from '../model.ts';
import { artifactNameProblem } from '../reserved.ts';
import { findName, jsonTypes, typesOfTree, type Here } from './meaning.ts';
import { checkTextPresence } from './presence.ts';
import { artifactsOf } from './references.ts';
import { field, whole } from './report.ts';
import { withArticle } from '../../kernel/enumerate.ts';

/** Checks that a sub-workflow gets its parameters, and has the artifacts that its step exports. */
export function checkChild(child: Child, here: Here): void {
  const { report } = here;
  const { parameters, name } = child.workflow;
  for (const [key, template] of Object.entries(child.with)) {
    const type = findName(parameters, key);
    if (type === undefined) {
      const message = `\`${name}\` has no parameter \`${key}\``;
      report.unknown(whole(template), message, key, Object.keys(parameters));
      continue;
    }
    if (type.required && !('default' in type)) checkTextPresence(template, here);
    const given = typesOfTemplate(template, here);
    const taken = jsonTypes(type);
    if (given === null || taken === null || [...given].some((each) => taken.has(each))) continue;
    const types = [...given].map(withArticle).join(' or ');
    report.error(
      whole(template),
      `\`${key}\` of \`${name}\` is ${withArticle(type.type)}, and this is ${types}`,
    );
  }
  for (const [key, type] of Object.entries(parameters)) {
    if (!type.required || 'default' in type || Object.hasOwn(child.with, key)) continue;
    report.error(
      whole(child),
      `\`${name}\` wants the parameter \`${key}\``,
      `give it under \`with: { ${key}: … }\``,
    );
  }
  checkExports(child, here);
}

/** The types of a string with expressions: a single expression keeps its own. */
export function typesOfTemplate(template: Template, here: Here): Types {
  const [only] = template;
  if (template.length !== 1 || only?.kind !== 'expression') return new Set(['string']);
  return typesOfTree(only.tree, here);
}

function checkExports(child: Child, { report }: Here): void {
  const steps = new Map(child.workflow.body.steps.map((step) => [step.id, step]));
  const seen = new Set<string>();
  for (const each of child.exports) {
    const place = field(each, each.as === each.artifact ? 'artifact' : 'as');
    if (seen.has(each.as))
      report.add(
        'E_DUPLICATE',
        'error',
        place,
        `two exports are called \`${each.as}\``,
        'give one another name: `as`',
      );
    seen.add(each.as);
    const problem = artifactNameProblem(each.as);
    if (problem !== null)
      report.error(place, `an artifact cannot have this name: ${problem}`, 'give it another: `as`');
    const step = steps.get(each.from);
    if (step === undefined) {
      const message = `\`${child.workflow.name}\` has no step \`${each.from}\``;
      report.unknown(field(each, 'from'), message, each.from, [...steps.keys()]);
      continue;
    }
    const artifacts = bodyOf(step.work) === null ? artifactsOf(step) : [];
    if (artifacts.includes(each.artifact)) continue;
    report.unknown(
      field(each, 'artifact'),
      `\`${each.from}\` has no artifact \`${each.artifact}\``,
      each.artifact,
      artifacts,
    );
  }
}
