import type { Extension } from '../../cli/extension.ts';

/** Workflows that are signed events, with budgets in thousandths of a satoshi. */
export const nip: Extension = {
  name: 'nip',
  currency: ({ nip: { unitsPerUsd: perUsd, budgetEnforcement: enforced } }) => ({
    name: 'msats',
    perUsd,
    enforced,
  }),
};
