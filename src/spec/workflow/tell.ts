import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { YamlDocument } from '../yaml.ts';

/** The languages that workflows are written in. */
export type LanguageName = 'native' | 'orchestrate' | 'swdl' | 'nip';

interface Mark {
  /** Whether it is that language, by its own sign. */
  readonly fits: (file: JsonObject, version: string | null) => boolean;
  /** What that language would have, in words. */
  readonly sign: string;
}

const marks: Readonly<Record<LanguageName, Mark>> = {
  native: {
    fits: ({ steps }, version) => version === '1' && isJsonObject(steps),
    sign: '`version: "1"` and a map `steps`',
  },
  orchestrate: {
    fits: ({ steps }, version) => version === '1.0' && Array.isArray(steps),
    sign: '`version: "1.0"` and a list `steps`',
  },
  swdl: {
    fits: (file) => 'workflow' in file && 'stages' in file,
    sign: '`workflow` and `stages`',
  },
  nip: { fits: ({ kind }) => kind === 30_920, sign: '`kind: 30920`' },
};

/** Which languages a file may be written in, by their signs. `version` is compared by its source text. */
export function tellLanguages(document: YamlDocument): LanguageName[] {
  const file = isJsonObject(document.value) ? document.value : {};
  const { version } = file;
  const source = typeof version === 'string' ? version : document.sourceOf(['version']);
  const names = Object.keys(marks) as LanguageName[];
  const fitting = names.filter((name) => marks[name].fits(file, source));
  // A map of steps is native with a mistake, where nothing speaks for another language.
  const hasOther = ['workflow', 'stages', 'kind'].some((key) => key in file) || source === '1.0';
  const isNearlyNative = isJsonObject(file['steps']) || !Array.isArray(file['steps']);
  return fitting.length === 0 && !hasOther && isNearlyNative ? ['native'] : fitting;
}

/** What each language is told by, as a sentence lists it. */
export const signs = Object.entries(marks)
  .map(([name, { sign }]) => `${name}: ${sign}`)
  .join('; ');
