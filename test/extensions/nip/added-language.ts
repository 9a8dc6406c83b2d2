export { nip as language } from '../../../src/extensions/nip/language/read.ts';
