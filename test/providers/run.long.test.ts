import { describeEnds } from './provider-contract.ts';
import { scriptedPlayers } from './scripted-players.ts';

describeEnds(scriptedPlayers.slice(1));
