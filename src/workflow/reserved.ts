/** The engine's own files in a step's folder of the context. */
export const metaFile = '_meta.json';
export const childFolder = '_child';
export const convergenceFolder = '_convergence';

/** The engine's own file at the top of the context folder. */
export const summaryFile = '_workflow.json';

/** The suffix of partial files, which are removed after a crash. */
const halfWritten = '.mailroom-tmp';

const inStep: readonly string[] = [metaFile, childFolder, convergenceFolder];

/** Why an artifact cannot have a name; null: it can. */
export function artifactNameProblem(name: string): string | null {
  if (name.startsWith('.')) return 'a name that begins with a dot is hidden';
  if (inStep.includes(name)) return `\`${name}\` lies there already: it is Mailroom's own`;
  return endingProblem(name);
}

/** The same for the id of a step, which names a folder. */
export function stepNameProblem(id: string): string | null {
  return id === summaryFile ? `\`${id}\` lies there already: it is Mailroom's own` : endingProblem(id);
}

function endingProblem(name: string): string | null {
  return name.endsWith(halfWritten)
    ? `what ends in \`${halfWritten}\` is cleared away as half written`
    : null;
}

/** The choice that closes a gate. */
export const rejecting = 'reject';

/** The choices of a gate that names none. */
export const usualChoices: readonly string[] = ['approve', rejecting];

/** The `by` of a gate approved by its timeout; no person may answer under this name. */
export const automaticApprover = 'auto_approve';

/** The namespace of the previous iteration's steps, in expressions of the steps of a `while`. */
export const previousNamespace = 'previous';
