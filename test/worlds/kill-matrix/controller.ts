// The controller of the mail, under the killer.
import { runKilled } from '../killing/host.ts';
import { classify } from './classify.ts';

await runKilled(classify);
