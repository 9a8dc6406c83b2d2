// The host of a run, and the controller of the mail that it may need, under the killer.
import { runKilled } from '../killing/host.ts';
import { classify } from './classify.ts';

await runKilled(classify);
