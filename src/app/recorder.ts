import { basename, dirname } from 'node:path';
import type { AgentJob, Exit, Outcome, StagedFile } from '../core/ports.ts';
import { recordOf } from '../providers/recording.ts';
import { readContent } from '../store/contents.ts';
import { RealDisk } from '../store/real-disk.ts';
import { makeProjectFolder } from '../store/scaffold.ts';

/** Keeps each invocation in a folder (absolute), for the provider `replay`. */
export function recorder(folder: string): (job: AgentJob, outcome: Outcome, exit: Exit) => void {
  makeProjectFolder(folder);
  const recordings = new RealDisk(folder);
  return ({ invocation }, outcome, exit) => {
    const { paths } = invocation;
    const staging = new RealDisk(paths.outbox);
    const staged = (staging.list('') ?? []).toSorted().flatMap((name): StagedFile[] => {
      const content = readContent(staging, name);
      return content === 'gone' ? [] : [{ name, content }];
    });
    const messages = paths.messages.flatMap((path) => {
      const content = readContent(new RealDisk(dirname(path)), basename(path));
      return content !== 'gone' && content.ok ? [{ name: basename(path), text: content.text }] : [];
    });
    const { name, json } = recordOf(invocation, messages, exit, staged, outcome);
    recordings.write(name, json);
  };
}
