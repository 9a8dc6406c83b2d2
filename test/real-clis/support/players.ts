import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInPrices } from '../../../src/providers/prices.ts';
import { namedProvider } from '../../../src/providers/index.ts';
import { forbidden, letter, type Behaviour, type Player } from '../../providers/provider-contract.ts';
import { agents, request } from '../../providers/samples.ts';
import { playScript } from '../../providers/scripted-players.ts';
import type { Ends, Ran, TurnFixture } from '../../providers/turns.ts';
import { appears } from '../../support/appears.ts';
import { configOf, furnish, type Cli } from './clis.ts';
import { Model, type Answer } from './model.ts';
import type { Capability } from '../../../src/kernel/capabilities.ts';
import type { Provider } from '../../../src/providers/provider.ts';

const bin = (name: string) => fileURLToPath(new URL(`../../../bin/${name}`, import.meta.url));

/** A CLI in a home folder of its own, with the scripted model behind it. */
export class Setting {
  readonly provider: Provider;
  readonly #cli: Cli;
  readonly #place: TurnFixture;
  readonly #home: string;
  readonly #url: string;

  /** `given`: the arguments that lead it to the model, where they are not the usual ones. */
  constructor(cli: Cli, place: TurnFixture, { url }: Model, given: readonly string[] = cli.arguments(url)) {
    this.#cli = cli;
    this.#place = place;
    this.#url = url;
    this.#home = join(place.root, 'home');
    furnish(this.#home, cli, url);
    const environment = {
      variables: { HOME: this.#home },
      node: process.execPath,
      replayAgent: '',
      acpAgent: bin('acp-agent.mjs'),
      piExtension: bin('pi-policy.mjs'),
    };
    this.provider = namedProvider({ ...configOf(cli, url), arguments: given }, environment);
  }

  turn(capabilities: readonly Capability[], session: Parameters<Player['play']>[2] = null) {
    const env = { HOME: this.#home, ...this.#cli.environment(this.#home, this.#url) };
    return this.#place.turn({ env, model: this.#cli.model, capabilities, session });
  }

  run(turn: ReturnType<Setting['turn']>, ends: Ends = {}): Promise<Ran> {
    return this.#place.run(this.provider, turn, ends);
  }
}

/** Codex passes on when its limit ends only as its own API says it. */
function limit(cli: Cli): Answer {
  if (cli.name !== 'codex')
    return { status: 429, words: 'You have hit your usage limit. Try again in 3 hours 20 minutes.' };
  const resets = { resets_at: Math.ceil(Date.now() / 1000) + 12_000, resets_in_seconds: 12_000 };
  return {
    status: 429,
    error: { type: 'usage_limit_reached', message: 'The limit.', plan_type: 'pro', ...resets },
  };
}

function answersFor(behaviour: Behaviour, cli: Cli, place: TurnFixture, outbox: string): Answer[] {
  switch (behaviour) {
    case 'writes mail':
      return [{ say: 'I write.', tools: [cli.write(join(outbox, 'answer.md'), letter)] }, { say: 'Done.' }];
    case 'is refused a tool':
      return [{ say: 'I write.', tools: [cli.write(forbidden(place), 'x')] }, { say: 'Done.' }];
    case 'is at its limit':
      return [limit(cli)];
    case 'loses its connection':
      return ['cut'];
    case 'hangs':
      return ['silence'];
    case 'is deaf to TERM':
      return [{ say: 'I wait.', tools: [cli.shell(deafTool(place))] }, 'silence'];
    default:
      return behaviour.startsWith('is answered')
        ? [{ status: Number(behaviour.slice(-3)), words: 'The model says no.' }]
        : [{ say: 'Hello.' }];
  }
}

const sign = (place: TurnFixture) => join(place.project, 'deaf');

/** A command that ends by nothing but KILL, and says when it has begun. */
function deafTool(place: TurnFixture): string {
  return `trap "" TERM INT HUP; touch '${sign(place)}'; while :; do sleep 1; done`;
}

/** The permission that the behaviour needs there, besides reading. */
function permissionsFor(behaviour: Behaviour): Capability[] {
  return behaviour === 'is deaf to TERM' ? ['READ', 'EDIT', 'RUN_COMMANDS'] : ['READ'];
}

/** What one request costs by the list, for those that tell no cost. */
function priceOf(model: string): number | null {
  const price = builtInPrices.get(model);
  return price === undefined ? null : (1000 * price.input + 50 * price.output) / 1e6;
}

/** How often a program may ask its model in one turn of these; opencode and pi have no switch for their retries. */
const mostRequests = { claude: 3, codex: 2, gemini: 3, opencode: Infinity, pi: 4 };

/** The real program. What no model can make it do is done by a script under its name. */
export function realPlayer(cli: Cli): Player {
  const sample = agents.find(({ name }) => name === cli.name);
  return {
    name: cli.name,
    usage: { usd: sample?.usd ?? priceOf(cli.model), tokens: request.tokens },
    sessions: true,
    nonsense: 'later transient',
    resetsInMs: 12_000_000,
    denials: (path) => (sample?.denials ?? []).map((denial) => denial.replace('/project/denied.txt', path)),
    async play(place, behaviour, session = null) {
      if (!['hangs', 'is deaf to TERM'].includes(behaviour)) {
        const script = playScript(cli.name, place, behaviour);
        if (script !== null) return script;
      }
      const model = await Model.start();
      try {
        const setting = new Setting(cli, place, model);
        const turn = setting.turn(permissionsFor(behaviour), session);
        model.says(...answersFor(behaviour, cli, place, turn.paths.outbox));
        if (behaviour === 'is deaf to TERM') return await setting.run(turn, { stop: appears(sign(place)) });
        const ran = await setting.run(turn, behaviour === 'hangs' ? { totalMs: 10_000 } : {});
        const asked = model.asked.length;
        // Nobody's settings turn its own retries down here but ours.
        if (asked > mostRequests[cli.name]) throw new Error(`${cli.name} has asked ${asked} times`);
        return ran;
      } finally {
        await model.stop();
      }
    },
  };
}
