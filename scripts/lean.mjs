// What the built program leaves out of the libraries that it bundles: code for uses that Mailroom
// does not have. Half of what the libraries for e-mail and for the queue consist of.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the queue uses of BullMQ's scripts, most of which are for other kinds of queues. */
const scriptsInUse = [
  'addStandardJob',
  'extendLock',
  'getState',
  'getStateV2',
  'moveJobFromActiveToWait',
  'moveStalledJobsToWait',
  'moveToActive',
  'moveToFinished',
  'removeJob',
  'updateProgress',
];

/**
 * Leaves out what is not used here: other stores and clients, clusters, schedules, relays, jobs in
 * processes of their own, most of the scripts that the server runs, and the comments in these. It
 * is two thirds of BullMQ.
 */
export const leanQueue = {
  name: 'lean-queue',
  setup: ({ onResolve, onLoad }) => {
    const unused = [
      'cron-parser',
      './postgres',
      './node-redis-client',
      './valkey-glide-client',
      './bun-redis-client',
      './cluster',
      './SentinelConnector',
      './connectors/SentinelConnector',
      '../constants/TLSProfiles',
      './relay',
      './redis-relay-backend',
      './child',
      './child-pool',
      './child-processor',
      './sandbox',
    ];
    onResolve({ filter: /./ }, ({ path }) =>
      unused.includes(path) ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'exports.default = {};' }));
    onLoad({ filter: /bullmq.dist.esm.scripts.[^/\\]*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (basename(path) !== 'index.js')
        return { contents: text.replace(/--\[\[[^]*?\]\]/g, '').replace(/^ *--.*\n/gm, '') };
      const lines = text.split('\n').filter((line) => scriptsInUse.includes(/\/(\w+)-/.exec(line)?.[1]));
      return { contents: lines.join('\n') };
    });
  },
};

const typesOfFiles = `export const detectMimeType = () => 'application/octet-stream';
  export const detectExtension = () => 'bin';`;
const charsets = `export { default } from './scripts/charsets.mjs';`;
const absent = 'export default class {}';
const withoutLinks = `const none = new Proxy({}, { get: () => () => none });
  export default () => none;`;

/** By package: what is loaded in the place of modules that it imports for other uses. */
const instead = {
  // The check of forms that a server shows to a client.
  '@modelcontextprotocol/server': {
    '@modelcontextprotocol/server/_shims': `export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {}`,
  },
  // A second reader of YAML.
  '@11ty/gray-matter': { 'js-yaml': 'export function load() {} export function dump() {}' },
  // Logs, proxies, and names of folders in forty languages.
  imapflow: {
    pino: 'export default () => {};',
    socks: 'export const SocksClient = null;',
    'iconv-lite': charsets,
    'encoding-japanese': charsets,
    '../special-use.js': 'export const specialUse = () => ({ flag: null });',
  },
  // Ways to send mail other than SMTP with a password, signatures, attached files, known servers.
  nodemailer: {
    ...Object.fromEntries(
      ['smtp-pool', 'sendmail-transport', 'stream-transport', 'json-transport', 'ses-transport'].map(
        (name) => [`./${name}/index.js`, absent],
      ),
    ),
    './fetch/index.js': absent,
    '../fetch/index.js': absent,
    '../xoauth2/index.js': absent,
    '../dkim/index.js': absent,
    '../smtp-connection/http-proxy-client.js': absent,
    './mime-types.js': typesOfFiles,
    '../mime-funcs/mime-types.js': typesOfFiles,
    './services.js': 'export const services = {};',
  },
  // The API of browsers, which Node takes some milliseconds to load.
  uuid: {
    './rng.js': `import { randomBytes } from 'node:crypto';
      export default () => randomBytes(16);`,
  },
  // Mail as HTML, with links.
  mailparser: {
    he: `export default { encode: () => '' };`,
    'linkify-it': withoutLinks,
    './tlds.cjs': 'export default [];',
  },
  // Footnotes, which the page shows as they were written.
  'micromark-extension-gfm': {
    'micromark-extension-gfm-footnote': `export const gfmFootnote = () => ({});
      export const gfmFootnoteHtml = null;`,
  },
  'mdast-util-gfm': {
    'mdast-util-gfm-footnote': `export const gfmFootnoteFromMarkdown = () => ({});
      export const gfmFootnoteToMarkdown = null;`,
  },
  // HTML, which is not read as such.
  'micromark-core-commonmark': {
    './lib/html-flow.js': "export const htmlFlow = { name: 'htmlFlow' };",
    './lib/html-text.js': "export const htmlText = { name: 'htmlText' };",
  },
  // A way through any tree with any test: links are found in texts outside of two kinds of nodes.
  'mdast-util-find-and-replace': {
    'escape-string-regexp': 'export default String;',
    'unist-util-is': 'export const convert = (types) => ({ type }) => types.includes(type);',
    'unist-util-visit-parents': `export const SKIP = 'skip';
      export function visitParents(node, visit, parents = [], index) {
        const next = visit(node, parents, index);
        if (next !== SKIP)
          for (let at = 0; at < (node.children?.length ?? 0);)
            at = visitParents(node.children[at], visit, [...parents, node], at);
        return typeof next === 'number' ? next : index + 1;
      }`,
  },
  // Logs.
  ioredis: { debug: 'exports.default = () => Object.assign(() => {}, { enabled: false });' },
  'html-to-text': { 'dom-serializer': `export const render = () => '';` },
  domutils: { 'dom-serializer': `export default () => '';` },
  libmime: {
    './mimetypes.js': 'export const list = {}; export const extensions = {};',
    'iconv-lite': charsets,
    'encoding-japanese': charsets,
  },
};

/** Packages that exist as modules and as CommonJS, and are imported both ways: one is enough. */
const once = ['libbase64', 'libmime', 'libqp'];

export const leanLibraries = {
  name: 'lean-libraries',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /./ }, ({ path, importer, kind, resolveDir }) => {
      if (once.includes(path) && kind === 'import-statement')
        return resolve(path, { kind: 'require-call', resolveDir });
      const from = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(importer)?.[1];
      const contents = instead[from]?.[path];
      return contents && { path: `${from}/${path}`, namespace: 'instead', pluginData: contents };
    });
    onLoad({ filter: /./, namespace: 'instead' }, ({ pluginData }) => ({
      contents: pluginData,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    }));
  },
};
