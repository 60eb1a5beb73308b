import {
  anyText,
  commaList,
  filePath,
  jwtAlgorithms,
  keysPlace,
  namespacePrefixes,
  oneOf,
  wholeNumber,
} from './parsers.js';
import { always, file, maybe } from './setting.js';

/** The longest span that a timer keeps, ms. */
const LONGEST_MS = 2_147_483_647;
/** No more headers than these get through HTTP/2 at all. */
const MOST_METADATA = 65_535;

/** Who may call, and how much at once. */
export const ACCESS_SETTINGS = {
  auth: always({
    about: 'none: serve everybody; auto: ask for credentials where some are configured',
    value: 'auto|none',
    fallback: 'auto',
    parse: oneOf(['auto', 'none']),
  }),
  accessFile: file(
    'principals with their hashed tokens, certificates, namespaces and rights, YAML',
  ),
  jwtKeys: maybe({
    about: 'keys of the issuer of JSON Web Tokens: a JWKS file, or its https:// URL',
    value: 'file|url',
    parse: keysPlace,
    file: (text) => !/^https?:/.test(text),
  }),
  jwtIssuer: maybe({ about: 'the `iss` that a token must have', value: 'text', parse: anyText }),
  jwtAudience: maybe({
    about: 'the `aud` of which a token must have one',
    value: 'text,text',
    parse: commaList,
  }),
  jwtAlgorithms: always({
    about: 'signatures that are taken; never none, never HMAC',
    value: 'name,name',
    fallback: 'RS256,PS256,ES256,ES384,EdDSA',
    parse: jwtAlgorithms,
  }),
  jwtClaim: always({
    about:
      'the claim that holds namespace and acl, for subjects without an entry in the access file',
    value: 'name',
    fallback: 'echomq',
    parse: anyText,
  }),
  jwtToleranceMs: always({
    about: 'slack for clocks in `exp` and `nbf`',
    value: 'ms',
    fallback: '5000',
    parse: wholeNumber(0, 300_000),
  }),
  authRecheckMs: always({
    about: 'time between two looks at the credentials of open streams',
    value: 'ms',
    fallback: '10000',
    parse: wholeNumber(10, LONGEST_MS),
  }),
  authGraceMs: always({
    about:
      'time from asking a worker with expired credentials to reconnect to the end of its stream',
    value: 'ms',
    fallback: '30000',
    parse: wholeNumber(0, LONGEST_MS),
  }),
  reloadMs: always({
    about: 'time between two looks at certificates, access file and key file',
    value: 'ms',
    fallback: '10000',
    parse: wholeNumber(10, LONGEST_MS),
  }),
  namespaces: always({
    about: 'namespaces besides the default one, each with its prefix',
    value: 'name=prefix,…',
    fallback: '',
    parse: namespacePrefixes,
  }),
  maxStreamsPerPrincipal: always({
    about: 'limit: streams of one principal at one time',
    value: 'n',
    fallback: '10000',
    parse: wholeNumber(1, LONGEST_MS),
  }),
  maxWaitersPerPrincipal: always({
    about: 'limit: long polls of one principal at one time',
    value: 'n',
    fallback: '10000',
    parse: wholeNumber(1, LONGEST_MS),
  }),
  maxMetadataBytes: always({
    about: 'limit: names and values in the metadata of a call',
    value: 'n',
    fallback: '16384',
    parse: wholeNumber(1_024, MOST_METADATA),
  }),
  maxUnreadMs: always({
    about:
      'limit: how long a full stream may stay full with nothing read from it; then it is ended',
    value: 'ms',
    fallback: '60000',
    parse: wholeNumber(100, LONGEST_MS),
  }),
};

/** The file that gives settings; it cannot be named in itself. */
export const CONFIG_SETTING = maybe({
  about:
    'settings from this YAML file, below flags and variables; its keys are those of --print-config',
  value: 'file',
  parse: filePath,
  file: true,
});
