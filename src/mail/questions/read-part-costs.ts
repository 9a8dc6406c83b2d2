import { runFolder } from '../../host/run-mail.ts';
import { dayOf } from '../../kernel/money.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { ordersIn, turnsFolder } from '../mailboxes/turn-folders.ts';
import { expectRead } from '../../project/definition/workflows.ts';
import { happenings } from '../../workflow/machine/happenings.ts';
import { processName } from '../../workflow/machine/launch.ts';
import { readCosts } from './read-costs.ts';
import { invocationsOf } from './show.ts';
import { partCostsOf, type PartCosts, type PartLaunch } from './part-costs.ts';
import type { Project } from '../../project/project.ts';

/** A launch that has ended, and where its prompt and its output lie. */
interface Ended extends Omit<PartLaunch, 'counts' | 'prompt' | 'calls'> {
  /** Milliseconds since 1970. */
  readonly ended: number;
  readonly provider: string;
  /** A fingerprint of the standing orders of its role; null: it has none. */
  readonly orders: string | null;
  readonly prompt: string;
  readonly stdout: string;
}

/** The longest output that is read, in bytes. */
const longest = 64 * 1024 * 1024;

/**
 * What the tokens of a project were used for. `since`: as in `readCosts`. Throws `E_USAGE`, and the
 * problems of settings that cannot be read.
 */
export async function readPartCosts(project: Project, since: string | null, now: number): Promise<PartCosts> {
  const { since: from, total } = readCosts(project, { by: 'role', since }, now);
  const { providers } = expectRead(await project.settings.read());
  const all = [...endedTurns(project), ...endedSteps(project)].toSorted((a, b) => a.ended - b.ended);
  const counts = ({ ended }: Ended) => from === null || dayOf(ended) >= from;
  const resumed = new Set(all.filter(counts).map(({ session }) => session));
  const text = (path: string) => project.files.part(path, 0, longest)?.toString('utf8') ?? '';
  const launches = all.flatMap((launch): PartLaunch[] => {
    const isCounted = counts(launch);
    if (!isCounted && !resumed.has(launch.session)) return [];
    const calls = providers.get(launch.provider)?.calls?.(text(launch.stdout));
    if (calls === undefined || calls.inputs.length === 0) return [];
    const prompt = text(launch.prompt);
    const role = tokensOf(launch.orders === null ? '' : ordersIn(prompt, launch.orders));
    const mail = tokensOf(prompt) - role;
    return [{ ...launch, counts: isCounted, prompt: { role, mail }, calls }];
  });
  return partCostsOf(launches, from, total);
}

/** An estimate. */
function tokensOf(text: string): number {
  return Math.round(Buffer.byteLength(text) / 4);
}

function* endedTurns(project: Project): Generator<Ended> {
  for (const turn of project.files.list(turnsFolder))
    for (const { prompt, stdout, result } of invocationsOf(project, turn)) {
      if (prompt === null || stdout === null || result === null) continue;
      const { launch, outcome } = result;
      const known = isJsonObject(launch) && isJsonObject(outcome) ? launchIn(launch, outcome) : null;
      if (known !== null) yield { ...known, prompt, stdout };
    }
}

/** From `result.json`; null: its tokens are not known, or an earlier version wrote it. */
function launchIn(
  { provider, ended, orders, resumed }: JsonObject,
  { usage, session }: JsonObject,
): Omit<Ended, 'prompt' | 'stdout'> | null {
  const tokens = isJsonObject(usage) ? usage['tokens'] : null;
  const id = isJsonObject(session) ? session['id'] : null;
  if (typeof provider !== 'string' || typeof ended !== 'number' || typeof tokens !== 'number') return null;
  return {
    ended,
    provider,
    tokens,
    session: typeof id === 'string' ? id : null,
    resumed: resumed === true,
    orders: typeof orders === 'string' ? orders : null,
  };
}

function* endedSteps({ workflows }: Project): Generator<Ended> {
  for (const { run } of workflows.runs()) {
    const { before, events } = workflows.run(run).history();
    for (const event of events)
      for (const attempt of happenings(before, event).attempts) {
        const { provider, result, to: ended } = attempt;
        const tokens = result?.usage.tokens ?? null;
        if (provider === null || tokens === null) continue;
        const folder = `${runFolder(run)}/steps/${processName(attempt)}`;
        const files = { prompt: `${folder}/prompt.md`, stdout: `${folder}/stdout` };
        const session = result?.session?.id ?? null;
        yield { ended, provider, tokens, session, resumed: false, orders: null, ...files };
      }
  }
}
