/**
 * Compression dictionaries of HTTP (RFC 9842): what a browser has of the last release is the dictionary for the next
 * one. The frames of a file with a base were compressed with that base, so they are sent as they are stored.
 */
import { unmark } from '@ipfsz/core/reader'
import { acceptsCoding } from '../../request/accept-encoding.ts'
import {
  availableDictionary, DICTIONARY_CONDITIONS, dictionaryId, hasDictionaries, mayUseDictionaries
} from '../../request/dictionary.ts'
import { bodyOf, compressDelta, MAX_COMPRESSED, MIN_SIZE } from './compress-delta.ts'
import { copyFrame } from './copy-frame.ts'
import { DCZ, dczHeader, digestOf, MAX_SIZE, openDictionary } from './dictionary-file.ts'
import type { Dictionaries, ResponseContext, VersionedFile } from '../context.ts'
import type { Representation, StoredBody } from '../stored-file.ts'
import type { DictionaryFile } from './dictionary-file.ts'
import type { BasedFile } from '@ipfsz/core'

/** The window of a frame of so many bytes, 8 MiB, is one that every client takes, however small the dictionary is. */
const MAX_FRAME_SIZE = 8 * 1024 * 1024

/**
 * How long a browser keeps a file as a dictionary, in seconds: 30 days. It keeps one only for as long as it may show
 * the file (RFC 9842, section 2.2.1). That does no harm if the name changes with the content. Any other old file would
 * be shown beside new ones, so its dictionary has an address of its own, which browsers load when they are idle: the
 * path, with this parameter and the CID.
 */
const KEPT_TIME = 2_592_000
const OWN_ADDRESS = 'dictionary'

/** How much of a file its difference to the base may have, for which a browser keeps the base: 5 % of gzip, or so. */
const MAX_STORED_SHARE = 1 / 64

/** What may be a fingerprint: a part of the last name of a path, between a dot or hyphen and its extension. */
const FINGERPRINT = /(?<=[^/][.-])([A-Za-z0-9_-]{8}|[0-9a-f]{9,64})(?=\.[^/]*$)/g

/** A word of a name in camel case, or what is between two. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[_-]/g

/** What is so short that it may stand for a word, or has vowels as words have. */
const SPEAKABLE = /^(?:[A-Z]{1,5}|.{1,3}|(?=.*[aeiouyAEIOUY])(?!.*[^aeiouyAEIOUY]{5}).*)$/

/** What a path may have, and what of it has a meaning of its own in a URL pattern. Chromium 153 takes no backslash. */
const PLAIN_PATH = /^\/[A-Za-z0-9/._~%!$&'()*+,:;=@[\]-]*(?<![()*+:])$/
const SPECIAL = /[()*+:]/g

/** A file that clients with its base can decompress. */
async function basedFile (
  { signal }: ResponseContext,
  { file, isCompressed }: VersionedFile
): Promise<BasedFile | undefined> {
  return isCompressed ? (await file.open(signal)).based : undefined
}

function usable ({ request, target }: ResponseContext): string | undefined {
  const { headers } = request

  return acceptsCoding(headers, DCZ) && hasDictionaries(request, target) && mayUseDictionaries(request)
    ? availableDictionary(headers)
    : undefined
}

async function chooseDelta (
  context: ResponseContext,
  file: VersionedFile,
  available: string
): Promise<Representation | undefined> {
  const based = await basedFile(context, file)

  if (based == null || based.codec !== 'zstd' || based.frameSize > MAX_FRAME_SIZE) {
    return undefined
  }

  const base = await openDictionary(context, based.base)

  if (base == null || !refersToEnd(based, base) || await digestOf(context, base) !== available) {
    return undefined
  }

  const prefix = dczHeader(available)

  return { coding: DCZ, dictionary: available, joined: false, prefix, length: prefix.byteLength + based.length }
}

/**
 * The next release of a file with a base refers to the same base, since a base has none itself: a browser that has it
 * keeps it while little has changed since, and no codec has to run for the next one either. Otherwise it gets this
 * release as a dictionary, also as a delta, if the next one can be compressed with that: what changed from one release
 * to the next does not grow with their number.
 */
async function offer (
  context: ResponseContext,
  file: VersionedFile,
  headers: Headers,
  hasBase: boolean
): Promise<void> {
  const { request, target: { rawPath }, target, resolved: { ttl }, init: { compressor } } = context
  const { cid, size = 0, isCompressed } = file
  const id = unmark(cid)

  if (!isCompressed || !hasDictionaries(request, target)) {
    return
  }

  const based = await basedFile(context, file)
  const isBased = based != null
  const compresses = compressor?.compressDelta != null
  const hasAddress = isOwnAddress(context, file)
  const pattern = patternOf(rawPath)
  const isFixed = pattern === plainPattern(rawPath)
  const keepsBase = isBased && hasBase && based.length <= size * MAX_STORED_SHARE
  const isUseful = size >= MIN_SIZE &&
    (isBased ? compresses && !keepsBase && size <= MAX_COMPRESSED : size <= MAX_SIZE)
  const varies = isBased || compresses || hasAddress

  // also for those who get no dictionary: caches choose by what the response says that they have stored
  if (varies) {
    headers.append('vary', 'Available-Dictionary')
  }

  if (varies || isUseful) {
    headers.append('vary', DICTIONARY_CONDITIONS)
  }

  if (isUseful && ttl != null && pattern != null && mayUseDictionaries(request)) {
    // with a query, or the short time of the path would replace this one, which is also the longer match. Where this
    // release can be compressed with the one before, any query: that one serves this address, too
    const match = hasAddress ? `${pattern}?${compresses ? '*' : ''}` : pattern
    headers.set('use-as-dictionary', `match="${match}"${compresses ? `, id="${id}"` : ''}`)

    if (hasAddress) {
      headers.set('cache-control', `public, max-age=${KEPT_TIME}, immutable`)
    } else if (isFixed) {
      headers.append('link', `<?${OWN_ADDRESS}=${id}>; rel="compression-dictionary"`)
    } else {
      headers.set('cache-control', `${headers.get('cache-control') ?? ''}, stale-while-revalidate=${KEPT_TIME}`)
    }
  }
}

/** Whether the request is to the address of the file as a dictionary. */
function isOwnAddress ({ target: { query } }: ResponseContext, { cid }: VersionedFile): boolean {
  return query.get(OWN_ADDRESS) === unmark(cid).toString()
}

/**
 * The file for a client that has it as a dictionary already, and needs no byte of it: it has just loaded the page, and
 * keeps the file as a dictionary from now on, or it loads the file again, which it has from a delta to another one.
 */
async function copyDictionary (
  context: ResponseContext,
  file: VersionedFile,
  available: string
): Promise<StoredBody | undefined> {
  const { size = 0, isCompressed } = file
  const plain = unmark(file.cid)
  const isNamed = isOwnAddress(context, file) || dictionaryId(context.request.headers)?.equals(plain) === true

  if (!isNamed || !isCompressed || size < MIN_SIZE || size > MAX_FRAME_SIZE) {
    return undefined
  }

  const same = await openDictionary(context, plain)

  return same == null || await digestOf(context, same) !== available ? undefined : bodyOf(available, copyFrame(size))
}

async function makeDelta (
  context: ResponseContext,
  file: VersionedFile,
  available: string,
  unneeded: AbortController
): Promise<StoredBody | undefined> {
  return await copyDictionary(context, file, available) ?? compressDelta(context, file, available, unneeded)
}

/**
 * What the paths of later versions of a file match, as a URL pattern: its own path, or with a star in place of the
 * fingerprint in its name that bundlers make of its content. Undefined: browsers ask for no such path, or it cannot be
 * told from a longer one.
 */
export function patternOf (path: string): string | undefined {
  return PLAIN_PATH.test(path)
    ? plainPattern(path).replaceAll(FINGERPRINT, part => isFingerprint(part) ? '*' : part)
    : undefined
}

function plainPattern (path: string): string {
  return path.replaceAll(SPECIAL, '*')
}

/**
 * Hexadecimal, or eight characters of another alphabet. What could be a word, or two (`Settings`, `DarkMode`), is none:
 * so one in 40 of the names that Vite makes is not found. No file name in 900 packages of npm is mistaken.
 */
function isFingerprint (text: string): boolean {
  const isHex = /^(?=.*\d)(?=.*[a-f])[0-9a-f]+$/.test(text)
  const words = [...text.matchAll(WORD)]
  const mayBeWords = !/\d/.test(text) && words.length <= 2 && words.every(([word]) => SPEAKABLE.test(word))

  return isHex || (text.length === 8 && /[A-Z]/.test(text) && !mayBeWords)
}

/**
 * Whether the dictionary of each frame ends where the base ends: frames count back from there, so they decompress in
 * the same way with all of the base.
 */
function refersToEnd ({ regions }: BasedFile, { size }: DictionaryFile): boolean {
  return regions.every(({ offset, length }) => length === 0 || offset + length === size)
}

export const dictionaries: Dictionaries = { usable, chooseDelta, makeDelta, offer }
