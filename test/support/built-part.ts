import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

/**
 * What the program has in a compressed file of its own, loaded as the installed program loads it. Of the libraries in it
 * the build has left out what it takes for unused.
 */
export function builtPart(name: string): unknown {
  const dist = join(process.env['MAILROOM_INSTALLED'] ?? '', 'dist');
  const require = createRequire(join(dist, 'app.cjs'));
  void require(join(dist, '../bin/program.cjs'));
  const file = readdirSync(dist).find((each) => each.startsWith(`${name}-`) && each.endsWith('.cjs.br'));
  return require(`./${String(file)}`);
}
