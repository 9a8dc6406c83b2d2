import { describe, it } from 'vitest';
import { verdict } from './samples.ts';
import { TurnFixture, type Ran } from './turns.ts';
import type { Session, Usage } from '../../src/kernel/cost.ts';
import type { Outcome } from '../../src/providers/provider.ts';

/** What an agent does in a turn; a player finds a way to make its agent do so. */
export type Behaviour =
  | 'answers'
  | 'writes mail'
  | 'is refused a tool'
  | `is answered ${400 | 401 | 403 | 429 | 500 | 529}`
  | 'is at its limit'
  | 'loses its connection'
  | 'hangs'
  | 'is deaf to TERM'
  | 'does nothing'
  | 'writes garbage'
  | 'writes 100 MB';

/** Makes one kind of agent behave, and says what is peculiar to it. */
export interface Player {
  readonly name: string;
  play(place: TurnFixture, behaviour: Behaviour, session?: Session | null): Promise<Ran>;
  /** What one request costs there. */
  readonly usage: Usage;
  /** Whether it resumes conversations. */
  readonly sessions: boolean;
  /** What it says was refused, when it wanted to write this file without the right to. */
  denials(path: string): readonly string[];
  /** What an end without work and output that means nothing are to it. */
  readonly nonsense: 'later transient' | 'done';
  /** How far away its limit's end is, in milliseconds. */
  readonly resetsInMs: number;
}

export const letter = '---\ntype: answer\nto: engineer\n---\nIt is done.\n';

/** The file that an agent without the right to edit tries to write. */
export const forbidden = (place: TurnFixture): string => `${place.project}/denied.txt`;

const statuses = [
  ['is answered 400', 'never'],
  ['is answered 401', 'never'],
  ['is answered 403', 'never'],
  ['is answered 429', 'later limited'],
  ['is answered 500', 'later transient'],
  ['is answered 529', 'later transient'],
] as const;

/** Done, later or never; of the codes only the end of its time. */
const kind = (outcome: Outcome): string => verdict(outcome).replace(/ E_(?!TIMEOUT)\w+$/, '');

/** What every provider keeps, whatever stands behind it: the adapter, and a process that is really run. */
export function describeProviders(players: readonly Player[]): void {
  describe.concurrent.each(players)('$name', (player) => {
    works(player);
    fails(player);
    means(player);
  });
}

/** How a process ends that does not do so alone; nearly the same for all. */
export function describeEnds(players: readonly Player[]): void {
  describe.concurrent.each(players)('$name', (player) => {
    isEnded(player);
  });
}

function works(player: Player): void {
  it('answers in words, and is counted', async ({ expect, onTestFinished }) => {
    const ran = await player.play(new TurnFixture(onTestFinished), 'answers');
    expect(ran.outcome).toMatchObject({ is: 'done', text: 'Hello.', usage: player.usage, denials: [] });
    expect(ran).toMatchObject({ staged: {}, left: [] });
  });

  it('writes a message into the staging folder', async ({ expect, onTestFinished }) => {
    const ran = await player.play(new TurnFixture(onTestFinished), 'writes mail');
    expect(ran).toMatchObject({ outcome: { is: 'done', denials: [] }, left: [] });
    expect(ran.staged).toEqual({ 'answer.md': letter });
  });

  it('continues when a tool is refused, and says which', async ({ expect, onTestFinished }) => {
    const place = new TurnFixture(onTestFinished);
    const { outcome } = await player.play(place, 'is refused a tool');
    expect(outcome).toMatchObject({ is: 'done', denials: player.denials(forbidden(place)) });
    expect(place.has('denied.txt')).toBe(false);
  });

  it('counts a resumed conversation by what it went on by', async ({ expect, onTestFinished }) => {
    const place = new TurnFixture(onTestFinished);
    const first = await player.play(place, 'answers');
    const session = first.outcome.is === 'done' ? first.outcome.session : null;
    expect(session !== null).toBe(player.sessions);
    const second = await player.play(place, 'answers', session);
    expect(second.outcome).toMatchObject({ is: 'done', usage: player.usage });
    if (session === null || second.outcome.is !== 'done') return;
    expect(second.outcome.session).toMatchObject({ id: session.id, tokens: session.tokens * 2 });
    expect(second.outcome.session?.usd).toBeCloseTo(session.usd * 2, 9);
  });
}

function fails(player: Player): void {
  it.for(statuses)('that %s takes it for %s', async ([behaviour, meaning], { expect, onTestFinished }) => {
    const { outcome } = await player.play(new TurnFixture(onTestFinished), behaviour);
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: meaning });
  });

  it('knows when a limit of use ends', async ({ expect, onTestFinished }) => {
    const begun = Date.now();
    const { outcome } = await player.play(new TurnFixture(onTestFinished), 'is at its limit');
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: 'later limited' });
    const until = (outcome.is === 'later' ? outcome.until : null) ?? 0;
    // Sentences for people leave the seconds out: the minute is waited for, never less.
    expect(until).toBeGreaterThanOrEqual(begun + player.resetsInMs - 1000);
    expect(until).toBeLessThanOrEqual(Date.now() + player.resetsInMs + 61_000);
  });

  it('is tried again when the connection breaks', async ({ expect, onTestFinished }) => {
    const { outcome } = await player.play(new TurnFixture(onTestFinished), 'loses its connection');
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: 'later transient' });
  });
}

function means(player: Player): void {
  it('has its own word for an end without work', async ({ expect, onTestFinished }) => {
    const { outcome } = await player.play(new TurnFixture(onTestFinished), 'does nothing');
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: player.nonsense });
  });

  it('reads garbage without harm', async ({ expect, onTestFinished }) => {
    const { outcome } = await player.play(new TurnFixture(onTestFinished), 'writes garbage');
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: player.nonsense });
  });
}

function isEnded(player: Player): void {
  it('is ended when it hangs', async ({ expect, onTestFinished }) => {
    const { outcome, left } = await player.play(new TurnFixture(onTestFinished), 'hangs');
    expect(outcome).toMatchObject({ is: 'later', reason: { code: 'E_TIMEOUT' } });
    expect(left).toEqual([]);
  });

  it('is ended when it is deaf to TERM', async ({ expect, onTestFinished }) => {
    const { outcome, left } = await player.play(new TurnFixture(onTestFinished), 'is deaf to TERM');
    expect(outcome).toMatchObject({ is: 'later', class: 'RETRYABLE_TRANSIENT' });
    expect(left).toEqual([]);
  });

  it('is ended when it writes without end', async ({ expect, onTestFinished }) => {
    const { outcome, exit, left } = await player.play(new TurnFixture(onTestFinished), 'writes 100 MB');
    expect({ ...outcome, kind: kind(outcome) }).toMatchObject({ kind: 'later transient' });
    expect(exit.stdout.length).toBeLessThan(33 * 1024 * 1024);
    expect(left).toEqual([]);
  });
}
