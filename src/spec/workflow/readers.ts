import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Workflow } from '../../core/workflow/model.ts';
import type { YamlDocument } from '../yaml.ts';
import type { Children } from './children.ts';
import { readNative } from './native/read.ts';
import { readNip } from './nip/read.ts';
import { readOrchestrate } from './orchestrate/read.ts';
import { readSwdl } from './swdl/read.ts';
import type { Surroundings } from './surroundings.ts';
import type { LanguageName } from './tell.ts';

/** Everything that is wrong with a file of a language, and what it says as far as it is right; null: nothing. */
type ReadLanguage = (
  document: YamlDocument,
  surroundings: Surroundings,
  children: Children,
) => { readonly workflow: Workflow | null; readonly problems: readonly Diagnostic[] };

/** How each language is read; null: not yet. Everything else about a language lies in its own folder. */
export const readers: Readonly<Record<LanguageName, ReadLanguage | null>> = {
  native: readNative,
  orchestrate: readOrchestrate,
  swdl: readSwdl,
  nip: readNip,
};
