import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { brotliDecompressSync } from 'node:zlib';
import type { Disk } from '../disk/disk.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { storedKeys, takeApiPlace } from '../host/api-place.ts';
import type { Json } from '../kernel/json.ts';
import { maskJson, strongMask } from '../kernel/mask.ts';
import { apiFolder } from '../kernel/lock-names.ts';
import type { ApiKey } from '../letters/letters.ts';
import { startDetached } from '../process/supervision/detached.ts';
import { maskerFactory, maskOf, secretFinder, type Masker } from '../process/output/mask.ts';
import { projectSecrets } from '../workflow/host/secrets.ts';
import { ProjectWatch, type Topic } from './api-watching.ts';

export type { ApiKey, Topic };

/** The pages of the documentation that the page of the browser leads to. */
export const manualPages = ['errors.md', 'tutorial.md'] as const;

type ManualPage = (typeof manualPages)[number];

/** What a server of the API needs besides the operations. */
export interface ApiServices {
  /** The absolute path of the Unix socket; null: it would be too long for the system. */
  readonly socket: string | null;
  /** Who may use the API: the keys of the start that the file still has. Throws `E_FILE`. */
  keys(): readonly ApiKey[];
  /**
   * A document without secrets of the project and without keys. Its own words stay: a weak secret
   * could be one.
   */
  mask<Document extends Json>(document: Document): Document;
  maskText(text: string): string;
  /** Masks a stream of bytes. */
  masker(): Masker;
  /** The start and the end of what `maskText` would replace in some bytes. */
  secretsIn(bytes: Buffer): readonly (readonly [number, number])[];
  /** A file of the page; null: there is none. */
  pageFile(name: string): string | null;
  /** A page of the documentation; null: it is missing. */
  manual(page: ManualPage): string | null;
  /** Calls back on every change until it is closed. */
  watch(onChange: (topic: Topic, number: number) => void): Pick<ProjectWatch, 'numbers' | 'close'>;
  /**
   * Opens an address in the person's browser, through a file that only its owner can read: on a
   * command line every process could read the key.
   */
  open(address: string): void;
  /** Removes the socket and lets another server start. */
  close(): Promise<void>;
}

/** The most bytes of the page, and of a page of the documentation. */
const pageBytes = 16 * 1024 * 1024;

/** What answers need, without secrets and these keys in them. */
function readingApi(disk: Disk, packageRoot: string, keys: readonly ApiKey[]) {
  const own = new RealDisk(packageRoot, null);
  const secrets = [...projectSecrets(disk), ...keys.map(({ key }) => key)];
  const mask = maskOf(secrets);
  let page: ReturnType<typeof pageFiles> | null = null;
  return {
    mask: <Document extends Json>(document: Document) => maskJson(document, strongMask(mask)) as Document,
    maskText: (text: string) => mask.text(text),
    masker: maskerFactory(secrets),
    secretsIn: secretFinder(secrets),
    pageFile: (name: string) => {
      page ??= pageFiles(own);
      return Object.hasOwn(page, name) ? (page[name] ?? null) : null;
    },
    manual: (name: ManualPage) => own.read(`docs/${name}`, pageBytes)?.toString('utf8') ?? null,
  };
}

/** The files of the page, which are compressed together. */
function pageFiles(own: Disk): Readonly<Record<string, string>> {
  const compressed = own.read('dist/web.json.br', pageBytes);
  if (compressed === null) return {};
  const text = brotliDecompressSync(compressed, { maxOutputLength: pageBytes }).toString('utf8');
  return JSON.parse(text) as Record<string, string>;
}

/**
 * What the API's answers need inside this process alone: nothing listens, and its key is valid
 * nowhere else. Throws `E_FILE`.
 */
export function closedApi(disk: Disk, packageRoot: string): ApiServices {
  const key: ApiKey = { name: 'reader', access: 'read', key: randomBytes(32).toString('base64url') };
  return {
    ...readingApi(disk, packageRoot, storedKeys(disk)),
    socket: null,
    keys: () => [key],
    watch: () => ({ numbers: () => new Map(), close: () => {} }),
    open: () => {},
    close: () => Promise.resolve(),
  };
}

/** Variables that a browser needs besides the usual ones. */
const ofTheDesktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_*', 'XDG_*', 'BROWSER'];

/** `address` has no character with a meaning in HTML. */
function redirect(address: string): string {
  return `<!doctype html><meta http-equiv="refresh" content="0; url=${address}"><title>Mailroom</title>\n`;
}

/**
 * Locks the API of a project for this process. `owner`: the name of the first key. `mail`: the
 * number of the last record of the mail's journal. Throws `E_LOCKED`, `E_TRACKED` and `E_FILE`.
 */
export async function openApi(
  disk: Disk,
  { packageRoot, owner, mail }: { packageRoot: string; owner: string; mail: () => number },
): Promise<ApiServices> {
  const place = await takeApiPlace(disk, owner);
  return {
    ...readingApi(disk, packageRoot, place.keys()),
    socket: place.socket,
    keys: () => place.keys(),
    open: (address) => {
      const page = `${apiFolder}/open.html`;
      disk.write(page, redirect(address), { mode: 0o600 });
      const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
      startDetached([program, join(disk.root, page)], disk.root, { inherit: ofTheDesktop, set: {} });
    },
    watch: (onChange) => new ProjectWatch(disk, mail, onChange),
    close: () => place.close(),
  };
}
