import { describeEnds, describeProviders } from './provider-contract.ts';
import { scriptedPlayers } from './scripted-players.ts';

// The real programs pass the same in test/real-clis.
describeProviders(scriptedPlayers);
describeEnds(scriptedPlayers.slice(0, 1));
