import { native } from './native/read.ts';
import { nip } from './nip/read.ts';
import { orchestrate } from './orchestrate/read.ts';
import type { WorkflowLanguage } from './shared/tell.ts';
import { swdl } from './swdl/read.ts';

/** The languages that workflows are written in. Everything else about a language lies in its own folder. */
export const languages: readonly WorkflowLanguage[] = [native, orchestrate, swdl, nip];
