import {
  controllerCredentials,
  invite,
  workerCredentials,
  type Credentials,
} from '../../../src/extensions/workers/queue/credentials.ts';

/** What the controller of a test signs with. */
export const controllerKeys = controllerCredentials('the key of the controller in this test', 'a project');

/** What a worker that it has invited signs with. */
export function workerKeys(name: string, controller: Credentials = controllerKeys): Credentials {
  const made = workerCredentials(invite(controller, name));
  if (made === null) throw new Error('an invitation is no key');
  return made;
}
