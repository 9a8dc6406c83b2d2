import { startPage } from '../web/main.tsx';
import { composer } from './composer/page/index.tsx';
import { metrics } from './metrics/page/index.ts';

// The page, with what every extension adds to it.
startPage([composer, metrics]);
