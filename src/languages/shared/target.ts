import { text } from '../../yaml/schema.ts';

/** Somebody outside, by the scheme of a command of mailroom.yaml. */
export const target = text.regex(/^[a-z][a-z0-9+.-]*:.+/, {
  error: '<scheme>:<target>, such as slack:#deployments',
});
