import { MailroomError } from '../kernel/errors.ts';
import type { Provider } from './provider.ts';

/**
 * A person: has an inbox and no turns. Exists so that `provider: human` is a valid name; it must
 * not be started.
 */
export function humanProvider(): Provider {
  const noTurns = () => new MailroomError('E_INTERNAL', 'a person has no turns, but one was started');
  return {
    name: 'human',
    sessions: false,
    restrict: () => ({ exact: true, broaderThanRequested: [] }),
    notEnforced: ['max_steps', 'max_command_time', 'variant'],
    tools: false,
    mcp: 'a person has no MCP servers',
    start: () => {
      throw noTurns();
    },
    read: () => {
      throw noTurns();
    },
  };
}
