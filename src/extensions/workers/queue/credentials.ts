import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/*
 * The key of the controller signs jobs and orders, and admits workers; that of a worker signs what
 * the worker says. A worker knows only the public half of the controller's key, so its host can
 * neither order another worker nor give it a job.
 */

/** What a worker shows of itself: the controller has signed its name and its public key. */
export interface Admission {
  readonly name: string;
  /** Base64url, as everything here. */
  readonly key: string;
  readonly signature: string;
}

/** What one side signs with, and whom it believes. */
export interface Credentials {
  /** The project, which is also the name of its part of the queue. */
  readonly project: string;
  readonly controller: KeyObject;
  readonly secret: KeyObject;
  /** Of a worker; null: this is the controller. */
  readonly admission: Admission | null;
}

/**
 * What the controller signs with. `key`: its secret; `place`: what distinguishes this project from
 * others with the same key.
 */
export function controllerCredentials(key: string, place: string): Credentials {
  const secret = secretOf(Buffer.from(hkdfSync('sha256', key, '', 'mailroom controller', 32)));
  const controller = createPublicKey(secret);
  const project = createHash('sha256')
    .update(`${publicText(secret)}\n${place}`)
    .digest('hex')
    .slice(0, 16);
  return { project, controller, secret, admission: null };
}

/** A key of its own for a worker, as one word. */
export function invite({ project, secret }: Credentials, name: string): string {
  const seed = randomBytes(32);
  const key = publicText(secretOf(seed));
  const signature = sign(null, admitted(project, name, key), secret).toString('base64url');
  return [name, project, seed.toString('base64url'), publicText(secret), signature].join('.');
}

const invitation = /^([\w-]{1,60})\.([\da-f]{16})\.([\w-]{43})\.([\w-]{43})\.([\w-]{86})$/;

/** What a worker signs with, by its key; null: it is not the key of a worker. */
export function workerCredentials(key: string): Credentials | null {
  const [, name = '', project = '', seed, controllerKey, signature = ''] = invitation.exec(key) ?? [];
  if (seed === undefined || controllerKey === undefined) return null;
  const secret = secretOf(Buffer.from(seed, 'base64url'));
  const controller = publicOf(controllerKey);
  const admission = { name, key: publicText(secret), signature };
  if (!isAdmitted({ project, controller }, admission)) return null;
  return { project, controller, secret, admission };
}

/** Whether the controller has admitted this worker to its project. */
export function isAdmitted(
  { project, controller }: Pick<Credentials, 'project' | 'controller'>,
  { name, key, signature }: Admission,
): boolean {
  return verify(null, admitted(project, name, key), controller, Buffer.from(signature, 'base64url'));
}

/** Throws if it is not the text of a key. */
export function publicOf(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

function admitted(project: string, name: string, key: string): Buffer {
  return Buffer.from(['mailroom worker', project, name, key].join('\n'));
}

function publicText(secret: KeyObject): string {
  return createPublicKey(secret).export({ format: 'jwk' }).x ?? '';
}

/** The header of an Ed25519 key in PKCS #8, which its 32 bytes follow. */
const header = Buffer.from('302e020100300506032b657004220420', 'hex');

function secretOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' });
}
