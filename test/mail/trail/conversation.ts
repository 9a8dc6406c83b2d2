import { at } from './samples.ts';
import type { TrailChange, TrailEntry } from '../../../src/git/trail.ts';

const roles = 20;

/** Commits 1 to `count`: each files a message of a role and puts the next one into its inbox. */
export function conversation(count: number): TrailEntry[] {
  return Array.from({ length: count }, (_, index) => commit(index + 1));
}

/** What the folders must hold after a conversation, by path relative to the project. */
export function foldersAfter(count: number): Map<string, string> {
  const files = new Map<string, string>();
  for (const { changes } of conversation(count)) {
    for (const { path, text } of changes) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
  }
  return files;
}

function commit(seq: number): TrailEntry {
  const folder = `agents/role-${String(seq % roles)}`;
  const last = seq - roles;
  const filed: TrailChange[] = [
    { path: `${folder}/inbox/${String(last)}.md`, text: null },
    { path: `${folder}/processed/2026-11/${String(last)}.md`, text: textOf(last) },
  ];
  return {
    seq,
    at: at + seq,
    subject: `a → b: task — ${String(seq)}`,
    trailers: [['Seq', String(seq)]],
    changes: [...(last > 0 ? filed : []), { path: `${folder}/inbox/${String(seq)}.md`, text: textOf(seq) }],
  };
}

function textOf(seq: number): string {
  return `Message ${String(seq)}\n`.repeat(10);
}
