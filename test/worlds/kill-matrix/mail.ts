import { parseConfig } from '../../../src/config/read.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import type { Matrix } from '../killing/matrix.ts';
import type { Place } from '../killing/place.ts';
import { checkPlace } from './check.ts';
import { effects } from './effects.ts';
import { found, freshLead, kinds, plantFresh, upUntilIdle, type MailKind } from './kinds.ts';

/** The matrix of the mail. */
export const mail: Matrix<MailKind> = {
  effects,
  kinds,
  found,
  plant: (kind, place) => kind.plant(place),
  argv: () => upUntilIdle,
  settle: async (kind, place, run) => {
    kind.later?.(place);
    plantFresh(place);
    const { code, stdout, stderr } = await run();
    const idle = /"idle": "(\w+)"/.exec(stdout)?.[1] ?? 'unknown';
    const rests = (code === 0 || code === 1) && (idle === 'done' || idle === 'waiting_for_user');
    const problems = rests ? [] : [`it does not come to rest (${idle}): ${stderr.slice(0, 2_000)}`];
    const leads = [...kind.leads, freshLead];
    return [...problems, ...checkPlace(place, protocolOf(place), leads, kind.git === true)];
  },
};

const protocols = new Map<string, Protocol>();

/** The protocol of a place, read as the program reads it. */
function protocolOf(place: Place): Protocol {
  const text = place.read('protocols/team.yaml');
  const known = protocols.get(text);
  if (known) return known;
  const config = parseConfig(place.read('mailroom.yaml'), 'mailroom.yaml');
  if (!config.ok) throw new Error('mailroom.yaml of the kill matrix is wrong');
  const read = parseProtocol([{ file: 'protocols/team.yaml', text }], config.value);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  protocols.set(text, read.value);
  return read.value;
}
