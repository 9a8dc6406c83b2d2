import { describeEnds, describeProviders } from '../providers/provider-contract.ts';
import { claude, codex, gemini, pi } from './support/clis.ts';
import { realPlayer } from './support/players.ts';

const players = [claude, codex, gemini, pi].map(realPlayer);
describeProviders(players);
describeEnds(players);
