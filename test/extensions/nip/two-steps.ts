import { nip } from './language/nip.ts';

export const twoSteps = nip(
  ['step', 'a', '5200', 'output:one'],
  ['step', 'b', '5200', 'input:$one', 'output:two'],
  ['edge', 'a', 'b', 'always'],
);
