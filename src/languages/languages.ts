import { native } from './native/read.ts';
import { nip } from './nip/read.ts';
import { orchestrate } from './orchestrate/read.ts';
import type { WorkflowLanguage } from './shared/workflow-language.ts';
import type { RunFormat } from '../workflow/machine/run-format.ts';
import type { Workflow } from '../workflow/model.ts';
import { swdl } from './swdl/read.ts';

/** The supported workflow languages. Everything else about a language is in its own folder. */
export const languages: readonly [WorkflowLanguage, ...WorkflowLanguage[]] = [native, orchestrate, swdl, nip];

/** What the language of a definition shows of its runs. */
export function runFormatOf({ language }: Pick<Workflow, 'language'>): RunFormat {
  return languages.find(({ name }) => name === language)?.runs ?? {};
}
