import { RealDisk } from '../../../src/disk/real-disk.ts';
import { writeSealed } from '../../../src/host/seal.ts';
import type { Place } from './place.ts';

/** Puts a command there as a program of the project does. */
export function dropSealed({ root }: Place, path: string, text: string): void {
  writeSealed(new RealDisk(root), path, text);
}

/** What an agent without a sandbox can do, which reads the key: `node seal.mjs PATH`, the text on standard input. */
export const sealScript = `
import { createHmac } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
const root = process.env.MAILROOM_PROJECT;
const [path] = process.argv.slice(2);
const [, hex] = /^([0-9a-f]{64})\\n/m.exec(readFileSync(root + '/.mailroom/api/seal.key', 'utf8'));
const key = Buffer.from(hex, 'hex');
const text = readFileSync(0, 'utf8') + '\\n';
const seal = createHmac('sha256', key).update(path + '\\0' + text).digest('hex');
const draft = root + '/' + path.replace(/[^/]*$/, '.$&');
writeFileSync(draft, text + seal + '\\n');
renameSync(draft, root + '/' + path);
`;
