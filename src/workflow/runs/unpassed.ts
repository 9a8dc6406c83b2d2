import { buildEnvironment } from '../../process/sandbox/environment.ts';
import { innerOf } from '../bodies.ts';
import type { Body, Step, Workflow } from '../model.ts';
import { ownValue } from '../../kernel/own.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that the shell of a person sets, that scripts of steps read, and that no step gets:
 * by their names, the paths of the steps that read them.
 */
export function unpassedVariables(workflow: Workflow, shell: Environment): Map<string, string[]> {
  const found = new Map<string, string[]>();
  look(workflow, workflow.body, '', { shell, secrets: workflow.secrets, found });
  return found;
}

interface Search {
  readonly shell: Environment;
  /** Those of the whole run. */
  readonly secrets: readonly string[];
  readonly found: Map<string, string[]>;
}

function look(workflow: Workflow, { steps }: Body, prefix: string, search: Search): void {
  const passed = buildEnvironment({ inherit: workflow.inherit, from: search.shell });
  for (const step of steps) {
    const path = `${prefix}${step.id}`;
    const given = givenTo(step, workflow, search.secrets);
    for (const name of readBy(step)) {
      if (
        ownValue(search.shell, name) === undefined ||
        Object.hasOwn(passed, name) ||
        given.has(name) ||
        ofShells.test(name)
      )
        continue;
      search.found.set(name, [...(search.found.get(name) ?? []), path]);
    }
    const inner = innerOf(step.work);
    if (inner === null) continue;
    const its = step.work.kind === 'workflow' ? step.work.workflow : workflow;
    look(its, inner, `${path}/`, search);
  }
}

/** Variables that each shell sets for itself, and those that each step gets. */
const ofShells = /^(?:PWD|OLDPWD|IFS|HOSTNAME|COLUMNS|LINES|_|BASH\w*|MAILROOM_\w*|\w+_COMPLETION_CHECK_ID)$/;

function givenTo({ env, secrets, check }: Step, workflow: Workflow, ofRun: readonly string[]): Set<string> {
  const named = [workflow.env, env, check?.env ?? {}].flatMap(Object.keys);
  return new Set([...named, ...(secrets ?? [...workflow.secrets, ...ofRun])]);
}

/** The variables that the script of a step or of its check reads without having set them. */
function readBy({ work, check }: Step): Set<string> {
  const scripts = [work, check?.work].flatMap((each) => (each?.kind === 'script' ? [each.script.text] : []));
  return new Set(
    scripts.flatMap((script) =>
      [...script.matchAll(/(?<!\\)\$(?:\{[#!]?)?([A-Za-z_]\w*)(:?[-=?+])?/g)].flatMap(
        ([whole, name = '', otherwise]) =>
          // `X="${X:-default}"` reads what it sets.
          (whole.startsWith('${') && otherwise !== undefined) || !isSetBy(script, name) ? [name] : [],
      ),
    ),
  );
}

function isSetBy(script: string, name: string): boolean {
  const words = String.raw`(?:^|\W)(?:for +|read [^\n;|&]*\b)${name}\b`;
  return new RegExp(String.raw`(?:^|[\s;&|(])${name}\+?=|${words}`).test(script);
}
