import fc from '../../support/fast-check.ts';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { targets } from './targets.ts';
import { watchdog } from './watchdog.ts';

/** `npm run fuzz -- --runs 100000`, of one target with `--target journals`, again with `--seed 42 --path 7:1`. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    path: { type: 'string' },
    target: { type: 'string' },
  },
});

const numRuns = Number(values.runs);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
if (chosen.length === 0) {
  process.stderr.write(
    `there is no target ${String(values.target)}: ${targets.map(({ name }) => name).join(', ')}\n`,
  );
  process.exitCode = 2;
}
const alive = watchdog(10_000);
for (const { name, property, corpus } of chosen) {
  const began = performance.now();
  const broken = corpus.flatMap((one) => {
    try {
      alive(`${name}, ${one.name}`, one.run);
      return [];
    } catch (error) {
      return [`${one.name}: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`];
    }
  });
  const watched = {
    ...property,
    generate: property.generate.bind(property),
    shrink: property.shrink.bind(property),
    isAsync: property.isAsync.bind(property),
    runBeforeEach: property.runBeforeEach.bind(property),
    runAfterEach: property.runAfterEach.bind(property),
    run: (value: unknown) =>
      alive(`${name}, seed ${String(seed)}: ${JSON.stringify(value)}`, () => property.run(value)),
  };
  const path = values.path === undefined ? {} : { path: values.path };
  const details = fc.check(watched as fc.IRawProperty<unknown>, {
    numRuns,
    seed,
    ...path,
  }) as fc.RunDetails<unknown>;
  const took = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(
    `${name}: ${String(details.numRuns)} runs and ${String(corpus.length)} known cases in ${took} s, seed ${String(seed)}: ${details.failed || broken.length > 0 ? 'FAILED' : 'ok'}\n${broken.join('')}`,
  );
  if (details.failed || broken.length > 0) process.exitCode = 1;
  if (!details.failed) continue;
  const { errorInstance: error } = details;
  process.stdout.write(`${fc.defaultReportMessage(details) ?? ''}\n`);
  process.stdout.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
  process.stdout.write(
    `again: npm run fuzz -- --target ${name} --seed ${String(seed)} --path ${details.counterexamplePath ?? '0'}\n`,
  );
}
