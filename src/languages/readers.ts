import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { Workflow } from '../workflow/model.ts';
import type { YamlDocument } from '../yaml/yaml.ts';
import type { Children } from './shared/children.ts';
import { readNative } from './native/read.ts';
import { readNip } from './nip/read.ts';
import { readOrchestrate } from './orchestrate/read.ts';
import { readSwdl } from './swdl/read.ts';
import type { LanguageContext } from './shared/context.ts';
import type { LanguageName } from './shared/tell.ts';

/** Everything that is wrong with a file of a language, and what it says as far as it is right; null: nothing. */
type ReadLanguage = (
  document: YamlDocument,
  surroundings: LanguageContext,
  children: Children,
) => { readonly workflow: Workflow | null; readonly problems: readonly Diagnostic[] };

/** How each language is read; null: not yet. Everything else about a language lies in its own folder. */
export const readers: Readonly<Record<LanguageName, ReadLanguage | null>> = {
  native: readNative,
  orchestrate: readOrchestrate,
  swdl: readSwdl,
  nip: readNip,
};
