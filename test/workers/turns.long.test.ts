import { describe } from 'vitest';
import { postgresEngine } from './servers.ts';
import { describeTurns } from './turns-contract.ts';

describe('through PostgreSQL', () => {
  describeTurns(postgresEngine);
});
