import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { YamlDocument } from '../../yaml/yaml.ts';

/** The languages that workflows are written in. */
export type LanguageName = 'native' | 'orchestrate' | 'swdl' | 'nip';

interface Mark {
  /** Its signs; a file that has all of them is of that language. */
  readonly fits: readonly ((file: JsonObject, version: string | null) => boolean)[];
  /** What that language would have, in words. */
  readonly sign: string;
}

const marks: Readonly<Record<LanguageName, Mark>> = {
  native: {
    fits: [(_file, version) => version === '1', ({ steps }) => isJsonObject(steps)],
    sign: '`version: "1"` and a map `steps`',
  },
  orchestrate: {
    fits: [(_file, version) => version === '1.0', ({ steps }) => Array.isArray(steps)],
    sign: '`version: "1.0"` and a list `steps`',
  },
  swdl: {
    fits: [(file) => 'workflow' in file, (file) => 'stages' in file],
    sign: '`workflow` and `stages`',
  },
  nip: { fits: [({ kind }) => kind === 30_920], sign: '`kind: 30920`' },
};

const names = Object.keys(marks) as LanguageName[];

function read(document: YamlDocument): { readonly file: JsonObject; readonly version: string | null } {
  const file = isJsonObject(document.value) ? document.value : {};
  const { version } = file;
  return { file, version: typeof version === 'string' ? version : document.sourceOf(['version']) };
}

/** Which languages a file may be written in, by their signs. `version` is compared by its source text. */
export function tellLanguages(document: YamlDocument): LanguageName[] {
  const { file, version } = read(document);
  const fitting = names.filter((name) => marks[name].fits.every((fits) => fits(file, version)));
  // A map of steps is native with a mistake, where nothing speaks for another language.
  const hasOther = ['workflow', 'stages', 'kind'].some((key) => key in file) || version === '1.0';
  const isNearlyNative = isJsonObject(file['steps']) || !Array.isArray(file['steps']);
  // One of its two signs is swdl with the other one missing, where there are no steps.
  const isNearlySwdl = ('workflow' in file || 'stages' in file) && !('steps' in file || 'kind' in file);
  if (fitting.length === 0 && isNearlySwdl) return ['swdl'];
  return fitting.length === 0 && !hasOther && isNearlyNative ? ['native'] : fitting;
}

/** What languages are told by, as a sentence lists it: those of which the file has a sign, else all. */
export function signsFor(document: YamlDocument): string {
  const { file, version } = read(document);
  const near = names.filter((name) => marks[name].fits.some((fits) => fits(file, version)));
  return (near.length > 0 ? near : names).map((name) => `${name}: ${marks[name].sign}`).join('; ');
}
