import { describe } from 'vitest';
import { redisEngine } from './servers.ts';
import { describeTurns } from './turns-contract.ts';

describe('through Redis', () => {
  describeTurns(redisEngine);
});
