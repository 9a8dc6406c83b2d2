import { Duplex } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';

/** Shorter answers, in bytes, fit into the packet that they need anyway. */
const worthIt = 1_000;

/** Text that is not a stream of events, which would be held back. */
const text = /^(?:application\/(?:(?:\w+\+)?json|yaml)|text\/(?!event-stream)|image\/svg)/;

const encodings = {
  // Higher levels take longer than the bytes that they save.
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: () => createGzip(),
};

type Encoding = keyof typeof encodings;

/** The best encoding that a client takes; null: none. */
function encodingFor(request: Request): Encoding | null {
  const accepted = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',');
  const takes = (name: string) =>
    accepted.some((each) => {
      const [encoding, ...parameters] = each.split(';').map((word) => word.trim());
      return encoding === name && !parameters.some((word) => /^q=0(?:\.0*)?$/.test(word));
    });
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}

/** The tag of an answer without the mark of its encoding. */
export function plainTag(tag: string): string {
  return tag.trim().replace(/\.(?:br|gzip)"$/, '"');
}

/**
 * The answer as the client takes it, packed while it is sent. Its strong tag differs by the
 * encoding, as its bytes do.
 */
export function compressed(request: Request, response: Response): Response {
  const { status, statusText, body, headers } = response;
  if (!text.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return response;
  const size = headers.get('content-length');
  const encoding = encodingFor(request);
  headers.set('Vary', [headers.get('vary'), 'Accept-Encoding'].filter((name) => name !== null).join(', '));
  if (body === null || encoding === null || (size !== null && Number(size) < worthIt)) return response;
  const packed = new Headers(headers);
  packed.set('Content-Encoding', encoding);
  packed.delete('Content-Length');
  const tag = headers.get('etag');
  if (tag !== null) packed.set('ETag', tag.replace(/"$/, `.${encoding}"`));
  const bytes = body.pipeThrough(Duplex.toWeb(encodings[encoding]()));
  return new Response(bytes, { status, statusText, headers: packed });
}
