// `npm run docs:blocks`: every block of README.md and docs/, with the test that runs or reads it,
// or why there is none.
import { held } from '../test/docs/run-blocks.ts';

for (const { block, by } of held)
  console.log(`${block.page}:${String(block.line)} ${block.info} — ${by ?? 'not held'}`);
