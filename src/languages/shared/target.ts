import { text } from '../../yaml/schema.ts';

/** A recipient outside, with the scheme of a notification command of mailroom.yaml. */
export const target = text.regex(/^[a-z][a-z0-9+.-]*:.+/, {
  error: '<scheme>:<target>, such as slack:#deployments',
});
