import { isContained } from '../kernel/contained.ts';
import type { Disk } from '../disk/disk.ts';
import type { Settings } from '../project/definition/definition.ts';
import { relaysOf } from '../nostr/relays.ts';
import { UnsentEvents } from '../nip/unsent.ts';
import { listenToRelays } from './requests.ts';
import type { UpRuns } from './runs.ts';

/** The relay connections of `up`. */
interface UpRelays {
  problems(): readonly string[];
  close(): Promise<void>;
}

/**
 * Sends what relays do not have yet, and listens for requests; null: the project has no relays, so
 * nothing is loaded or connected.
 */
export async function openRelays(
  disk: Disk,
  settings: Settings,
  runs: UpRuns,
  failed: (error: unknown) => void,
): Promise<UpRelays | null> {
  const { nip } = settings.config;
  const relays = nip.enabled ? await relaysOf(disk, nip) : null;
  if (relays === null) return null;
  let deaf: string | null = null;
  // Without its key, or with unreadable logs, the mail and other runs continue.
  const requests = await listenToRelays(disk, settings, runs, relays, failed).catch((error: unknown) => {
    if (!isContained(error)) throw error;
    deaf = `requests from relays are not followed: ${error.message}`;
    return null;
  });
  const unsent = new UnsentEvents(disk, relays);
  const sending = unsent.follow(failed);
  return {
    problems: () => [
      ...relays.problems,
      ...(deaf === null ? [] : [deaf]),
      ...(requests?.problems ?? []),
      ...(unsent.problem === null ? [] : [unsent.problem]),
    ],
    close: async () => {
      await sending.close();
      await requests?.close();
      await relays.close();
    },
  };
}
