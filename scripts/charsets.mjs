// What the libraries of e-mail use of iconv-lite and of encoding-japanese, by the character sets of
// Node itself: in the built program it stands in the place of both, which are a third of the code
// that reads e-mail. What is in no known character set is read as UTF-8.
import { Buffer } from 'node:buffer';
import { Transform } from 'node:stream';
import { TextDecoder } from 'node:util';

/** One object for each character set: the libraries compare them, and their decoders. */
const codecs = new Map();
const unknown = { decoder: {} };
const namesOfJapanese = { JIS: 'iso-2022-jp', EUCJP: 'euc-jp', SJIS: 'shift_jis' };

function decoderOf(charset) {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function encodingExists(charset) {
  return getCodec(charset) !== unknown;
}

function getCodec(charset) {
  let name;
  try {
    name = new TextDecoder(charset).encoding;
  } catch {
    return unknown;
  }
  if (!codecs.has(name)) codecs.set(name, { decoder: {} });
  return codecs.get(name);
}

function decode(bytes, charset) {
  return decoderOf(charset).decode(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
}

/** Only for names of mailboxes outside ASCII, which are never asked for. */
function encode(text) {
  return Buffer.from(text);
}

function getDecoder(charset) {
  const decoder = decoderOf(charset);
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

function decodeStream(charset) {
  const decoder = getDecoder(charset);
  return new Transform({
    transform: (bytes, _encoding, done) => done(null, decoder.write(bytes)),
    flush: (done) => done(null, decoder.end()),
  });
}

/** Of encoding-japanese: bytes to a string. */
function convert(bytes, { from }) {
  return decode(bytes, namesOfJapanese[from] ?? from);
}

export default { encodingExists, getCodec, decode, encode, getDecoder, decodeStream, convert };
