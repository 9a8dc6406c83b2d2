import { defaultNip } from '../../src/config/config.ts';
import type { LanguageContext } from '../../src/languages/shared/context.ts';

/** No protocol, no other files, no provider with broader permissions. */
export const nowhere: LanguageContext = {
  protocol: null,
  broaderThanRequested: new Map(),
  notEnforced: new Map(),
  withoutMcp: new Map(),
  hasWorkers: false,
  checkedOut: null,
  strict: false,
  hasProgram: () => false,
  programOf: () => null,
  agents: { model: null, maxTokens: null },
  agentDefaults: { provider: null, capabilities: null },
  profiles: new Map(),
  agentsBeside: () => null,
  notify: {},
  files: { read: () => null, list: () => [], tracked: [] },
  workflows: () => [],
  overrides: [],
  nip: defaultNip,
  starting: null,
  load: () => ({ ok: false, code: 'E_WORKFLOW', problem: 'there are no other files here' }),
};
