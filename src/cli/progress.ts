import type { Protocol } from '../mail/format/protocol.ts';
import { describeChange, remember, type Change, type Memory } from '../operations/changes.ts';
import type { MailState } from '../mail/machine/state.ts';
import { summaryOf } from '../operations/mail-summary.ts';
import { statusOf } from '../operations/status.ts';
import { line, money } from './format.ts';
import type { Keyboard } from './live-keys.ts';
import { blockLines } from './live.ts';
import { turnWords } from './status-text.ts';
import { ProgressLines } from './progress-lines.ts';
import type { Controller } from '../operations/documents.ts';
import type { Colours, Room, Terminal } from './terminal.ts';
import type { MailStatus } from '../operations/documents/status.ts';

/** The progress display of a running controller. */
export interface Progress {
  /** Prints what has changed since the last call. */
  look(state: MailState): void;
  /** Prints one line of the program itself. */
  say(text: string): void;
  /**
   * Keeps the printed lines, removes the block, and waits for an open question. Safe to call again.
   */
  close(): Promise<void>;
}

/**
 * Shows what a controller does: one line per event, and on a terminal a block below them that is
 * redrawn in place, at most ten times a second and once a second for its clocks. `keys`: what a
 * person can press there; null: there is no terminal. `quiet`: keeps standard output free for a
 * document.
 */
export function startProgress(
  terminal: Terminal,
  controller: Controller,
  { keys, quiet }: { readonly keys: Keyboard | null; readonly quiet: boolean },
): Progress {
  const live = keys && { lines: (room: Room) => statusLines(terminal, controller, room), keys };
  const lines = new ProgressLines(terminal, { live, quiet });
  let memory: Memory = remember(controller.state);
  lines.say(headline(controller.definition.protocol));
  lines.notes(controller.notes);
  return {
    look: (state) => {
      lines.problems(controller.problems());
      lines.recoveries(controller.recoveries());
      if (state.events === memory.events) return;
      for (const change of describeChange(memory, state, money)) lines.say(painted(change, lines.colours));
      memory = remember(state);
      lines.changed();
    },
    say: (text) => lines.say(text),
    close: () => lines.close(),
  };
}

/** Without a protocol the only role is `user`, which always exists. */
function headline({ name, roles }: Protocol): string {
  return roles.size > 1 ? `${name}: ${String(roles.size)} roles` : 'no protocol: only workflows are started';
}

function painted({ kind, text }: Change, colours: Colours): string {
  const plain = line(text);
  switch (kind) {
    case 'failed':
      return colours.red(plain);
    case 'notice':
    case 'held':
    case 'again':
      return colours.yellow(plain);
    case 'overdue':
      return colours.bold(colours.yellow(plain));
    case 'sent':
      return colours.cyan(plain);
    case 'thread':
      return colours.bold(plain);
    case 'started':
    case 'ended':
      return plain;
    default:
      return kind satisfies never;
  }
}

/** The turns that have run for at least this long, in words. */
export function turnsUnderWay({ definition, state, held }: Controller, now: number, least: number): string[] {
  const { protocol, hash } = definition;
  const rest = { dropped: new Map(), recorded: 0, problems: [], held: held() };
  const parts = { holder: null, protocol, hash: hash(), ...rest, now };
  return statusOf(summaryOf(state), parts)
    .turns.filter((turn) => turn.state === 'running' && now - Date.parse(turn.since) >= least)
    .map((turn) => `${turn.role} ${turnWords(turn, now)}`);
}

/** The status of a controller of this process, with its problems. */
export function ownStatus(
  { definition, state, held }: Controller,
  now: number,
  problems: readonly string[] = [],
): MailStatus {
  const { protocol, hash } = definition;
  const rest = { dropped: new Map(), recorded: 0, problems, held: held() };
  const parts = { holder: null, protocol, hash: hash(), ...rest, now };
  return statusOf(summaryOf(state), parts);
}

function statusLines({ now, colours }: Terminal, controller: Controller, room: Room): string[] {
  return blockLines(ownStatus(controller, now()), now(), colours, room);
}
