import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { builtInPrices } from '../src/providers/prices.ts';
import {
  claude,
  clis,
  codex,
  furnish,
  gemini,
  isInstalled,
  opencode,
  type Cli,
} from '../test/real-clis/support/clis.ts';
import { Model, type Asked } from '../test/real-clis/support/model.ts';
import { answer, files, task, type Tools } from './cost-story.ts';
import { program } from './measured.ts';
import type { Line } from './report.ts';
import { TokenCounter, type Counted } from './tokens.ts';
import { benchFolder } from './world.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Played extends Counted {
  readonly starts: number;
  /** Tokens that the model said. */
  readonly out: number;
  readonly delivered: boolean;
}

/**
 * What a delivered task costs: one story (a design, a build, a review that rejects once, a
 * delivery), played by the real programs of `test/real-clis` against a scripted model. Counts are
 * the same on every machine. Nothing where the programs are not installed.
 */
export async function cost(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const cli of [claude, codex, gemini, opencode].filter(isInstalled)) {
    const alone = cli === claude ? await play(cli, single) : null;
    if (alone) lines.push(line('one session of claude that does all itself', cli, alone, null, null));
    const own = await play(cli, (world) => team(world, {}));
    lines.push(
      line(`feature-team, played by ${cli.name}`, cli, own, alone, cli === claude ? [0.19, 19] : null),
    );
    if (cli === codex) continue;
    const short = await play(cli, (world) => team(world, { system_prompt: 'short' }));
    const limit = cli === claude ? ([0.11, 19] as const) : null;
    lines.push(line(`the same with \`system_prompt: short\``, cli, short, own, limit));
  }
  return lines;
}

function dollars({ model }: Cli, { written, cached, out }: Played): number | null {
  const price = builtInPrices.get(model);
  if (price === undefined) return null;
  const { input, output } = price;
  return (written * (price.written ?? input) + cached * (price.cached ?? input) + out * output) / 1e6;
}

function line(
  what: string,
  cli: Cli,
  played: Played,
  against: Played | null,
  most: readonly [usd: number, calls: number] | null,
): Line {
  const { calls, starts, written, cached, out, delivered } = played;
  const usd = dollars(cli, played);
  const other = against === null ? null : dollars(cli, against);
  const tokens = `${String(written)} written, ${String(cached)} cached, ${String(out)} out`;
  return {
    what,
    seen: `${String(calls)} calls, ${String(starts)} ${starts === 1 ? 'start' : 'starts'}, ${tokens}${usd === null ? '' : `, $${usd.toFixed(3)}`}${delivered ? '' : ', NOT DELIVERED'}`,
    ratio: usd === null || other === null ? '' : `${(usd / other).toFixed(2)} × the line above`,
    budget: most === null ? '' : `≤ $${String(most[0])}, ≤ ${String(most[1])} calls`,
    met: most === null || usd === null ? null : delivered && usd <= most[0] && calls <= most[1],
  };
}

/** A repository and a home folder with the program in it. */
interface World {
  readonly cli: Cli;
  readonly folder: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

async function play(
  cli: Cli,
  run: (world: World) => Promise<Pick<Played, 'starts' | 'delivered'>>,
): Promise<Played> {
  const model = await Model.start();
  const counter = await TokenCounter.before(model.url);
  const top = benchFolder();
  const [folder, home] = [join(top, 'repository'), join(top, 'home')];
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const one of clis) furnish(home, one, counter.url);
  mkdirSync(join(home, '.claude'), { recursive: true });
  for (const words of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '-m', 'base'],
  ])
    execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', ...words], {
      cwd: folder,
    });
  let out = 0;
  const tools: Tools = { at: (path) => join(folder, path), ...cli };
  model.plays((asked: Asked) => {
    const said = answer(asked, tools);
    out += Math.ceil(JSON.stringify(said).length / 4);
    return said;
  });
  try {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...cli.environment(home, counter.url) };
    const ended = await run({ cli, folder, url: counter.url, env });
    return { ...counter.counted, ...ended, out };
  } finally {
    counter.stop();
    await model.stop();
  }
}

const running = promisify(execFile);

async function single({ cli, folder, env }: World): Promise<Pick<Played, 'starts' | 'delivered'>> {
  const [file, ...words] = cli.command;
  const given = ['-p', '--model', cli.model, '--allowedTools', 'Read,Edit,Write,Bash', '--', task.alone];
  const ended = running(file, [...words, ...given], { cwd: folder, env });
  ended.child.stdin?.end();
  const { stdout } = await ended;
  return { starts: 1, delivered: stdout.includes('DELIVERED') };
}

async function team(
  { cli, folder, url, env }: World,
  settings: Readonly<Record<string, string>>,
): Promise<Pick<Played, 'starts' | 'delivered'>> {
  const mailroom = (...words: string[]) =>
    running(process.execPath, [program, ...words], { cwd: folder, env });
  const provider = {
    kind: cli.name,
    command: cli.command,
    arguments: cli.arguments(url),
    env: Object.keys(cli.environment('', url)),
    ...settings,
  };
  const template = join(root, 'templates/feature-team');
  for (const part of ['agents', 'protocols'])
    cpSync(join(template, part), join(folder, part), { recursive: true });
  const config = { sandbox: 'off', trail: 'off', defaults: { provider: cli.name, model: cli.model } };
  writeFileSync(join(folder, 'mailroom.yaml'), stringify({ ...config, providers: { [cli.name]: provider } }));
  mkdirSync(join(folder, 'agents/architect/inbox'), { recursive: true });
  writeFileSync(join(folder, 'agents/architect/inbox/task.md'), `# maxLength\n\n${task.text}\n`);
  await mailroom('up', '--until-idle', '--plain');
  const costs = JSON.parse((await mailroom('costs', '--json')).stdout) as {
    readonly total: { readonly launches: number };
  };
  const trail = JSON.parse((await mailroom('trail', '--json')).stdout) as readonly {
    readonly type: string;
  }[];
  const isFixed = readFileSync(join(folder, 'src/slug.js'), 'utf8').includes('replace(/-+$/');
  return { starts: costs.total.launches, delivered: trail.at(-1)?.type === 'delivered' && isFixed };
}
