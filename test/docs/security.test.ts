import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { constructsBelow, heldBy, type Rows } from './held.ts';

const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

/** By the attacks of the page: the tests that try them. */
const attacks: Rows = {
  'a site whose name leads to this machine (DNS rebinding)': () => {
    heldBy('server/http/access', 'answers to no other host: %s');
    heldBy('browser/attacks', 'a site whose name leads to this machine gets no answer');
  },
  'a page of another origin, or of none (`null`)': () => {
    heldBy('server/http/access', 'refuses a page of the origin %s, even with a key');
    heldBy('browser/attacks', 'a page of another site reads nothing and changes nothing');
  },
  'a form or a script of another page that writes (CSRF)': () => {
    heldBy('server/http/attacks', 'changes nothing by a form of the type %s, which has no key');
    heldBy('server/http/attacks', 'is not told that it may ask with a key');
    heldBy('browser/attacks', 'a page of another site reads nothing and changes nothing');
  },
  'a wrong key, or one that may only read': () => {
    heldBy('server/http/access', 'refuses %s', 'answers without a key only that it is there');
    heldBy('server/http/mail', 'refuses a key that may only read');
    heldBy('scenario/serve-runs', 'refuses a person who is no approver, and cancels');
  },
  'reading the key from a log, the process list or a file': () => {
    heldBy(
      'scenario/serve',
      'answers on IPv4, IPv6 and its socket, with keys that only their owner can read',
      'opens the page without showing the key to other processes',
      'serves in a process of its own, which ends with it, also when it is killed',
    );
    heldBy('host/api-place', 'is no link, wherever it leads');
  },
  'an id that leads out of the project': () => {
    heldBy('server/http/attacks', 'is that of nothing, at every address: %s');
    heldBy('server/http/access', 'serves no other file: %s');
    heldBy('server/http/workflows', 'needs a key that may write, and finds no file outside workflows/');
  },
  'text of an agent with HTML, scripts, control characters or marks of direction': () => {
    heldBy(
      'browser/everywhere',
      'every view is accessible and safe, %s at %i pixels',
      'shows the characters that would hide or turn a text',
    );
    heldBy('browser/saved', 'a saved run opens from disk as the page shows it, and asks for nothing');
  },
  'an oversized body or address': () => {
    heldBy('server/http/mail', 'refuses a body that is too large, not JSON by its type, or not UTF-8');
    heldBy('server/http/access', 'refuses a long address and an unknown key of the query, with the nearest');
  },
  'a body that never ends, an answer that is never read': () => {
    heldBy('scenario/serve-client', 'is answered with 408, and disturbs no other');
    heldBy('server/http/listener', 'cuts off a client that stops reading, and reads no further for it');
    heldBy('server/http/documents', 'keeps for a slow reader only the newest number of each topic');
  },
  'a body that changes the prototype of objects': () => {
    heldBy('server/http/attacks', 'is refused at every address: %s', 'changes nothing by the query either');
  },
  'an agent in its sandbox that looks for socket, key and port': () => {
    heldBy('scenario/sandboxed-api', 'an agent in a sandbox reaches neither the key nor the socket, and %s');
    heldBy('host/api-place', 'is empty in every sandbox, also in one that was there before it');
  },
  'two servers of one project': () => {
    heldBy('scenario/serve', 'is the only one of its project, names a port in use, and starts in no turn');
  },
  'a stale page that saves, or answers twice': () => {
    heldBy(
      'server/http/workflows',
      'refuses a stale page, and shows it the current text',
      'lets only one of two pages save',
    );
    heldBy('browser/composer', 'a file that changed meanwhile is not overwritten');
    heldBy('server/http/mail', 'answers a request as the person whose key it is, and once');
  },
};

it('every attack on the HTTP API that docs/security.md names is tried by a test', () => {
  expect(constructsBelow(page, 'The HTTP API')).toEqual(Object.keys(attacks));
  for (const tried of Object.values(attacks)) tried();
});
