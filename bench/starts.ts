import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { milliseconds, percentile, type Line } from './report.ts';

const host = fileURLToPath(new URL('starts-host.ts', import.meta.url));
const rounds = 5;
const [count, atOnce, large] = [1_000, 10, 500];

interface Started {
  readonly wall: number;
  readonly still: number;
}

const how = { launcher: 'by the launcher', itself: 'by the host itself' } as const;
type By = keyof typeof how;

function measure(by: By, megabytes: number): Started {
  const words = ['--import', 'tsx', host, ...[count, atOnce, megabytes].map(String), by];
  return JSON.parse(execFileSync(process.execPath, words).toString()) as Started;
}

const median = (all: readonly Started[], of: (one: Started) => number): number =>
  percentile(all.map(of), 0.5);

/** What a start costs a host that holds nothing, and one that holds much: all in turn. */
export function starts(): Line[] {
  const kinds = (['launcher', 'itself'] as const).flatMap((by) =>
    [0, large].map((megabytes) => ({ by, megabytes, taken: [] as Started[] })),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const { by, megabytes, taken } of kinds) taken.push(measure(by, megabytes));
  return kinds.map(({ by, megabytes, taken }) => {
    const small = kinds.find((kind) => kind.by === by && kind.megabytes === 0)?.taken ?? taken;
    const ratio = median(taken, ({ wall }) => wall) / median(small, ({ wall }) => wall);
    const still = median(taken, (one) => one.still);
    const isOurs = by === 'launcher';
    return {
      what: `${String(count)} × \`bash -c true\`, ${String(atOnce)} at once, ${how[by]}, which holds ${String(megabytes)} MB more`,
      seen: `${milliseconds(median(taken, ({ wall }) => wall))}; its main thread stands still for ${still.toFixed(2)} ms at each`,
      ratio: `${ratio.toFixed(2)} × what it takes in a host that holds nothing`,
      budget: isOurs ? '≤ 1.2 ×, ≤ 0.5 ms' : '',
      met: isOurs ? ratio <= 1.2 && still <= 0.5 : null,
    };
  });
}
