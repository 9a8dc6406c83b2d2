import { startPage } from '../web/main.tsx';
import { composer } from './composer/page/index.tsx';

// The page, with what every extension adds to it.
startPage([composer]);
