import { native } from './native/read.ts';
import { orchestrate } from './orchestrate/read.ts';
import type { Languages } from './shared/workflow-language.ts';
import type { RunFormat } from '../workflow/machine/run-format.ts';
import type { Workflow } from '../workflow/model.ts';
import { swdl } from './swdl/read.ts';

/**
 * The workflow languages of the house; extensions may add some. Everything else about a language is
 * in its own folder.
 */
export const languages: Languages = [native, orchestrate, swdl];

/** What the language of a definition shows of its runs. */
export function runFormatOf({ language }: Pick<Workflow, 'language'>, known: Languages): RunFormat {
  return known.find(({ name }) => name === language)?.runs ?? {};
}
