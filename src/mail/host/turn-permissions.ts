import { isAbsolute, relative, resolve } from 'node:path';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import type { Message } from '../format/message.ts';
import { judgeChanges, mayChange } from '../../kernel/permissions.ts';
import { isStep } from '../machine/step.ts';
import { Overlaps } from '../../host/overlaps.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { Invocation } from '../../providers/provider.ts';

/** The result of checking a turn's changes. */
export interface ChangesJudged {
  /** Why the turn fails; null: it does not. */
  readonly failure: Reason | null;
  readonly reports: readonly string[];
}

/**
 * Checks afterwards that turns changed only what they are permitted to, in their workspace and in
 * the project around it.
 */
export class TurnPermissions {
  readonly #project: string;
  readonly #verifies: (provider: string) => boolean;
  /** Work by folder; gates count, too, as they may change it. */
  readonly overlaps = new Overlaps();

  constructor(project: string, verifies: (provider: string) => boolean) {
    this.#project = project;
    this.#verifies = verifies;
  }

  /** The folders to watch while a turn of this provider runs. */
  watched(provider: string, { workspace, capabilities }: Invocation): string[] {
    if (!this.#verifies(provider)) return [];
    const own = mayChange(capabilities) ? [] : [workspace];
    return workspace === this.#project ? own : [...own, this.#project];
  }

  /**
   * Call it for every turn that is registered. `worktree`: the workspace belongs to the thread
   * alone.
   */
  end(
    key: string,
    changed: Changed,
    turn: Pick<Invocation, 'workspace' | 'capabilities'> & {
      readonly worktree: boolean;
      readonly messages: readonly Message[];
    },
  ): ChangesJudged {
    const shared = this.overlaps.end(key);
    const { workspace, messages } = turn;
    const tests = turn.capabilities.includes('RUN_TESTS');
    let failure: Reason | null = null;
    const reports: string[] = [];
    for (const [folder, changes] of changed) {
      const worktree = turn.worktree && folder === workspace;
      const judged = judgeChanges(changes, owedIn(folder, messages), { worktree, shared, tests });
      if (judged.is === 'failed') failure = judged.reason;
      else if (judged.is === 'reported') reports.push(judged.text);
    }
    return { failure, reports };
  }
}

/** With the names of files, which the agent has chosen, as people may read them. */
export function maskedChanges(
  { failure, reports }: ChangesJudged,
  mask: (text: string) => string,
): ChangesJudged {
  return {
    failure: failure === null ? null : { ...failure, text: mask(failure.text) },
    reports: reports.map(mask),
  };
}

/**
 * The files that the runs' steps among these messages provide and expect in a folder, relative to
 * it.
 */
function owedIn(folder: string, messages: readonly Message[]): string[] {
  return messages.filter(isStep).flatMap(({ fields }) => {
    const root = fields['workspace'];
    if (typeof root !== 'string') return [];
    const paths = [...pathsIn(fields['outputs']), ...pathsIn(fields['inputs'])];
    return paths
      .map((path) => relative(folder, resolve(root, path)))
      .filter((path) => path !== '' && !path.startsWith('..') && !isAbsolute(path));
  });
}

function pathsIn(list: Json | undefined): string[] {
  return (Array.isArray(list) ? list : []).flatMap((item) => {
    const path = isJsonObject(item) ? item['path'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}
