import type { Protocol } from '../../../src/mail/format/protocol.ts';
import type { MailState, Turn } from '../../../src/mail/machine/state.ts';
import { World } from './world.ts';

/** One thing that somebody does on the way. */
type Choice =
  | { readonly is: 'drop'; readonly line: string }
  | { readonly is: 'turn'; readonly turn: string; readonly lines: readonly string[] }
  | { readonly is: 'time' };

interface Spot {
  readonly choices: readonly Choice[];
  /** How many lines of the way are behind. */
  readonly done: number;
}

/** More ways than any short path has. */
const mostTries = 3_000;

/** Why somebody is stuck for ever in this history, as an exploration says it; null: nobody is. */
export function stuckIn(world: World): string | null {
  for (const event of world.history) {
    if (event.type === 'failed-back') return event.reason.text.replaceAll(/\((\S+): [^)]*\)/g, '($1)');
    if (event.type !== 'quieted') continue;
    const left = leftIn(world.state, event.thread);
    if (left.length > 0)
      return `${left.join(', ')} is never picked up: the messages that it waits for never come`;
  }
  return null;
}

function leftIn(state: MailState, thread: string): string[] {
  const ids = state.threads.get(thread)?.messages ?? [];
  const names = ids.flatMap((id) => {
    const mail = state.mail.get(id);
    // The answer of a sub-thread is left to the thread that opened it.
    if ((state.waits.get(mail?.wait ?? '')?.thread ?? thread) !== thread) return [];
    return [...(mail?.deliveries ?? [])]
      .filter(([, { at }]) => at === 'inbox')
      .map(([role]) => `${mail?.message.type ?? ''} for ${role}`);
  });
  return [...new Set(names)];
}

/**
 * Plays the messages of a path in their order, in every way that they may belong to turns, until somebody is stuck. Null:
 * in no way anybody is.
 */
export function follow(protocol: Protocol, path: readonly string[], why: string): World | null {
  const spots: Spot[] = [{ choices: [], done: 0 }];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const spot = spots.pop();
    if (!spot) return null;
    const world = replay(protocol, spot.choices);
    if (!world) continue;
    if (spot.done === path.length && stuckIn(world) === why) return world;
    for (const next of waysOn(world, path.slice(spot.done)))
      spots.push({ choices: [...spot.choices, next.choice], done: spot.done + next.lines });
  }
  return null;
}

/** The world after these choices; null when one of them is refused. */
function replay(protocol: Protocol, choices: readonly Choice[]): World | null {
  const world = new World(protocol, { watched: false });
  for (const choice of choices) {
    const before = world.history.length;
    if (choice.is === 'time') letTimeGoBy(world);
    else if (choice.is === 'drop') world.drop(choice.line);
    else {
      const turn = world.state.turns.get(choice.turn);
      if (!turn) return null;
      world.turn(turn.role, choice.lines, { in: turn.thread });
    }
    const events = world.history.slice(before);
    if (events.length === 0 || events.some(({ type }) => type === 'corrected' || type === 'abandoned'))
      return null;
  }
  return world;
}

/** The time of everything that waits is over. */
export function letTimeGoBy(world: World): void {
  world.now = Math.max(world.now, ...world.state.deadlines.values());
  world.settle();
}

function* waysOn(world: World, rest: readonly string[]): Generator<{ choice: Choice; lines: number }> {
  const turns = [...world.state.turns.values()];
  if (turns.length === 0 && world.state.deadlines.size > 0) yield { choice: { is: 'time' }, lines: 0 };
  for (const turn of turns) yield { choice: { is: 'turn', turn: turn.id, lines: [] }, lines: 0 };
  const [first] = rest;
  if (first === undefined) return;
  const sender = first.slice(0, first.indexOf(' '));
  if (sender === 'user')
    for (const re of ['', ...openFor(world.state, 'user').map((id) => ` re ${id}`)])
      yield { choice: { is: 'drop', line: `${first}${re}` }, lines: 1 };
  let together = 0;
  while (rest[together]?.startsWith(`${sender} `) === true) together += 1;
  for (const turn of turns.filter(({ role }) => role === sender))
    for (let lines = Math.min(together, 4); lines > 0; lines -= 1)
      for (const written of answering(world.state, turn, rest.slice(0, lines)))
        yield { choice: { is: 'turn', turn: turn.id, lines: written }, lines };
}

function openFor(state: MailState, role: string): string[] {
  return [...(state.roles.get(role)?.asked ?? [])];
}

/** The same lines with every choice of what each of them answers. */
function answering(state: MailState, turn: Turn, lines: readonly string[]): string[][] {
  const owed = [...new Set(turn.owes.map(({ request }) => request))];
  return lines.reduce<string[][]>(
    (all, line) => {
      const type = line.slice(line.lastIndexOf(' ') + 1);
      const fitting = owed.filter((id) => state.mail.get(id)?.request?.replies.includes(type));
      const ways = fitting.length > 0 ? fitting.map((id) => `${line} re ${id}`) : [line];
      return all.flatMap((before) =>
        ways.filter((way) => !/ re /.test(way) || !before.includes(way)).map((way) => [...before, way]),
      );
    },
    [[]],
  );
}
