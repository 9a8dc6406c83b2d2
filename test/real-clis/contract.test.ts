import { describeProviders } from '../providers/provider-contract.ts';
import { claude, codex, gemini, pi } from './support/clis.ts';
import { realPlayer } from './support/players.ts';

describeProviders([claude, codex, gemini, pi].map(realPlayer));
