import type { Diagnostic } from '../../kernel/diagnostic.ts';

/** A new file for a reference without a target. */
interface Stub {
  /** As the workflow names it: `agent:writer`. */
  readonly reference: string;
  readonly path: string;
  readonly text: string;
}

/** A reference of a workflow without a target. */
interface MissingReference {
  readonly kind: string;
  readonly name: string;
  readonly problem: string;
}

/** The references without a target that the problems of workflows name, each once. */
export function missingReferences(problems: readonly Diagnostic[]): MissingReference[] {
  const found = problems.flatMap(({ code, message }) => {
    const [reference, kind, name] = /^`(\w+):([\w.-]+)`/.exec(message) ?? [];
    if (code !== 'E_REFERENCE' || kind === undefined || name === undefined) return [];
    return [[reference, { kind, name, problem: message }] as const];
  });
  return [...new Map(found).values()];
}

/** Initial contents of the missing files that a workflow refers to. */
export function stubsFor(problems: readonly Diagnostic[]): Stub[] {
  return missingReferences(problems).flatMap(({ kind, name }): Stub[] => {
    const stub = stubOf(kind, name);
    return stub === null ? [] : [{ reference: `${kind}:${name}`, ...stub }];
  });
}

function stubOf(kind: string, name: string): Omit<Stub, 'reference'> | null {
  switch (kind) {
    case 'agent':
      return {
        path: `agents/${name}/role.md`,
        text: `---\ncapabilities: [READ, EDIT, RUN_TESTS]\n---\nYou are ${name}. Say here who you are, what you are good at, and what you never do.\n`,
      };
    case 'skill':
      return {
        path: `.claude/skills/${name}/SKILL.md`,
        text: `---\nname: ${name}\ndescription: Say here when it is of use.\n---\nSay here how it is done.\n`,
      };
    case 'ctx':
      return { path: `modules/${name}.md`, text: `Say here what everybody should know about ${name}.\n` };
    default:
      return null;
  }
}
