import type { Extension } from '../cli/extension.ts';
import { composer } from './composer/index.ts';
import { editors } from './editors/index.ts';
import { email } from './email/index.ts';
import { github } from './github/index.ts';
import { metrics } from './metrics/index.ts';
import { nip } from './nip/index.ts';
import { tracing } from './tracing/index.ts';
import { workers } from './workers/index.ts';

/** Every extension. A folder that is gone, with its two lines here, is missed by nothing else. */
export const extensions: readonly Extension[] = [
  composer,
  editors,
  email,
  github,
  metrics,
  nip,
  tracing,
  workers,
];
