import { createDecipheriv, createCipheriv, createHash, createHmac, generateKeyPairSync, scryptSync } from 'node:crypto';
import { FunctionError } from '../exec/template-error.ts';
import { utf8Decode, utf8Encode } from '../text/utf8.ts';
import { codecs, fn, variadic, type FunctionTable, type GoFunction } from '../value/function.ts';
import { decodeBase64, encodeBase64 } from './encoding.ts';

const { any, string, uint32 } = codecs;

const hashSum = (algorithm: string): GoFunction =>
  fn([string], string, (text) => createHash(algorithm).update(utf8Encode(text)).digest('hex'));

const adler32 = (text: string): string => {
  let [a, b] = [1, 0];
  for (const byte of utf8Encode(text)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
};

const aesKey = (password: string): Uint8Array => {
  const key = new Uint8Array(32);
  key.set(utf8Encode(password).subarray(0, 32));
  return key;
};

const decryptAes = (password: string, encoded: string): string => {
  if (encoded === '') return '';
  const data = decodeBase64(encoded);
  const decipher = createDecipheriv('aes-256-cbc', aesKey(password), data.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]);
  const length = plain.length - (plain.at(-1) ?? 0);
  if (length < 0) throw new FunctionError(`runtime error: slice bounds out of range [:${length}]`);
  return utf8Decode(plain.subarray(0, length));
};

const encryptAes = (password: string, plain: string, iv: Uint8Array): string => {
  if (plain === '') return '';
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
  return encodeBase64(Buffer.concat([iv, cipher.update(utf8Encode(plain)), cipher.final()]));
};

/** Templates of the Master Password algorithm: a letter stands for a class of characters. */
const passwordTemplates: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: (
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
    'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
    'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno'
  ).split(' '),
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const [upperVowels, upperConsonants] = ['AEIOU', 'BCDFGHJKLMNPQRSTVWXYZ'];
const [vowels, consonants] = [upperVowels.toLowerCase(), upperConsonants.toLowerCase()];
const letters = upperVowels + vowels + upperConsonants + consonants;

const passwordCharacters: Readonly<Record<string, string>> = {
  V: upperVowels,
  C: upperConsonants,
  v: vowels,
  c: consonants,
  A: upperVowels + upperConsonants,
  a: letters,
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `${letters}0123456789!@#$%^&*()`,
};

const passwordSeed = 'com.lyndir.masterpassword';

const seeded = (text: string): Buffer => {
  const bytes = utf8Encode(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([Buffer.from(passwordSeed), length, bytes]);
};

const derivePassword = (counter: bigint, kind: string, password: string, user: string, site: string): string => {
  const templates = Object.hasOwn(passwordTemplates, kind) ? passwordTemplates[kind] : undefined;
  if (templates === undefined) return `cannot find password template ${kind}`;
  const key = scryptSync(utf8Encode(password), seeded(user), 64, { N: 32_768, r: 8, p: 2, maxmem: 2 ** 26 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(Number(counter));
  const seed = createHmac('sha256', key).update(seeded(site)).update(count).digest();
  return Array.from(templates[seed[0]! % templates.length]!, (element, index) => {
    const choices = passwordCharacters[element]!;
    return choices.charAt(seed[index + 1]! % choices.length);
  }).join('');
};

const generatePrivateKey = (kind: string): string => {
  switch (kind) {
    case '':
    case 'rsa':
      return generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey.export({
        type: 'pkcs1',
        format: 'pem',
      }) as string;
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
        type: 'sec1',
        format: 'pem',
      }) as string;
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    case 'dsa':
      throw new FunctionError('genPrivateKey: keys of type dsa are not supported');
    default:
      return `Unknown type ${kind}`;
  }
};

/** What needs an issuer of certificates or bcrypt, which this library leaves out. */
const unsupported = (name: string): GoFunction =>
  variadic([], any, string, () => {
    throw new FunctionError(`${name} is not supported`);
  });

const unsupportedNames = [
  'bcrypt',
  'htpasswd',
  'buildCustomCert',
  'genCA',
  'genCAWithKey',
  'genSelfSignedCert',
  'genSelfSignedCertWithKey',
  'genSignedCert',
  'genSignedCertWithKey',
];

export const cryptoFunctions = (randomBytes: (count: number) => Uint8Array): FunctionTable => ({
  sha1sum: hashSum('sha1'),
  sha256sum: hashSum('sha256'),
  sha512sum: hashSum('sha512'),
  adler32sum: fn([string], string, adler32),
  derivePassword: fn([uint32, string, string, string, string], string, derivePassword),
  encryptAES: fn([string, string], string, (password, plain) => encryptAes(password, plain, randomBytes(16))),
  decryptAES: fn([string, string], string, decryptAes),
  genPrivateKey: fn([string], string, generatePrivateKey),
  ...Object.fromEntries(unsupportedNames.map((name) => [name, unsupported(name)])),
});
