/**
 * Compression dictionaries of HTTP (RFC 9842): what a browser has of the last release is the dictionary for the next
 * one. The frames of a file with a base were compressed with that base, so they are sent as they are stored.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { base32 } from 'multiformats/bases/base32'
import { base64pad } from 'multiformats/bases/base64'
import * as raw from 'multiformats/codecs/raw'
import { sha256 as SHA_256 } from 'multiformats/hashes/sha2'
import { followSignal } from '../../follow-signal.ts'
import { OpenedFile } from '../../resolve/opened-file.ts'
import { acceptsCoding } from '../../request/accept-encoding.ts'
import { availableDictionary, mayUseDictionaries } from '../../request/dictionary.ts'
import { readFile } from '../read-file.ts'
import type { Dictionaries, ResponseContext, VersionedFile } from '../context.ts'
import type { ReadFile } from '../read-file.ts'
import type { Representation } from '../stored-file.ts'
import type { BasedFile } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The coding of a zstd stream that needs a dictionary (RFC 9842, section 5). */
const DCZ = 'dcz'

/** What its header begins with, before the SHA-256 of the dictionary. */
const MAGIC = [0x5e, 0x2a, 0x4d, 0x18, 0x20, 0x00, 0x00, 0x00]

/**
 * Maximum bytes of a dictionary, 16 MiB: as much of a base as a frame may refer back to. The window of its frames, up
 * to 8 MiB, is one that every client takes, however small the dictionary is.
 */
const MAX_SIZE = 16 * 1024 * 1024
const MAX_FRAME_SIZE = 8 * 1024 * 1024

/** Smaller files fit into one packet of a network, with their headers. */
const MIN_SIZE = 1024

/**
 * How long a browser keeps a file as a dictionary whose name changes with its content, in seconds: 30 days. Others it
 * keeps for as long as they are fresh: a longer time would show an old file beside new ones.
 */
const KEPT_TIME = 2_592_000

/** What may be a fingerprint: a part of the last name of a path, between a dot or hyphen and its extension. */
const FINGERPRINT = /(?<=[^/][.-])([A-Za-z0-9_-]{8}|[0-9a-f]{9,64})(?=\.[^/]*$)/

/** A word of a name in camel case, or what is between two. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[_-]/g

interface Base extends ReadFile {
  plain: CID
  size: number
}

/** A file that clients with its base can decompress. */
async function basedFile (
  { signal }: ResponseContext,
  { file, isCompressed }: VersionedFile
): Promise<BasedFile | undefined> {
  return isCompressed ? (await file.open(signal)).based : undefined
}

function takesDelta ({ request, target }: ResponseContext): boolean {
  return acceptsCoding(request.headers, DCZ) && mayUseDictionaries(request, target)
}

async function chooseDelta (context: ResponseContext, file: VersionedFile): Promise<Representation | undefined> {
  const available = availableDictionary(context.request.headers)
  const based = available == null ? undefined : await basedFile(context, file)

  if (available == null || based == null || based.codec !== 'zstd' || based.frameSize > MAX_FRAME_SIZE) {
    return undefined
  }

  const base = await openBase(context, based.base)

  if (base == null || !refersToEnd(based, base) || await digestOf(context, base) !== available) {
    return undefined
  }

  const prefix = Uint8Array.of(...MAGIC, ...base64pad.baseDecode(available))

  return { coding: DCZ, joined: false, prefix, length: prefix.byteLength + based.length }
}

async function offer (context: ResponseContext, file: VersionedFile, headers: Headers): Promise<void> {
  const { request, target: { rawPath }, target, resolved: { ttl } } = context

  if (!mayUseDictionaries(request, target)) {
    return
  }

  if (await basedFile(context, file) != null) {
    headers.append('vary', 'Available-Dictionary')

    // the next release refers to the same base, since a base has none itself: the browser keeps that
    return
  }

  const { size = 0, isCompressed } = file
  const pattern = patternOf(rawPath)

  if (isCompressed && size >= MIN_SIZE && size <= MAX_SIZE && ttl != null && pattern != null) {
    headers.set('use-as-dictionary', `match="${pattern}"`)

    if (pattern !== rawPath) {
      headers.set('cache-control', `${headers.get('cache-control') ?? ''}, stale-while-revalidate=${KEPT_TIME}`)
    }
  }
}

/**
 * What the paths of later versions of a file match, as a URL pattern: its own path, or with a star in place of the
 * fingerprint in its name that bundlers make of its content. Undefined: its path has characters that mean something
 * else there.
 */
export function patternOf (path: string): string | undefined {
  return /^\/[A-Za-z0-9/._~%-]*$/.test(path)
    ? path.replace(FINGERPRINT, part => isFingerprint(part) ? '*' : part)
    : undefined
}

/**
 * Hexadecimal, or eight characters of another alphabet. What could be a word, or two (`Settings`, `DarkMode`), is none:
 * so one in 25 of the names that Vite makes is not found. No file name in 900 packages of npm is mistaken.
 */
function isFingerprint (text: string): boolean {
  const isHex = /^(?=.*\d)(?=.*[a-f])[0-9a-f]+$/.test(text)
  const isWord = !/[A-Z]/.test(text) || (!/\d/.test(text) && [...text.matchAll(WORD)].length <= 2)

  return isHex || (text.length === 8 && !isWord)
}

/**
 * Whether the dictionary of each frame ends where the base ends: frames count back from there, so they decompress in
 * the same way with all of the base.
 */
function refersToEnd ({ regions }: BasedFile, { size }: Base): boolean {
  return regions.every(({ offset, length }) => length === 0 || offset + length === size)
}

/** A base, unless it cannot be read, or is too large to be a dictionary. */
async function openBase (context: ResponseContext, plain: CID): Promise<Base | undefined> {
  const { components: { fs }, signal } = context

  try {
    const { markedCid: cid = plain } = await fs.stat(plain, { signal })
    const handle = await fs.open(cid, { signal })
    const { size, codec } = handle.stats

    return size > MAX_SIZE
      ? undefined
      : { plain, size: Number(size), isCompressed: codec !== 'none', file: new OpenedFile(cid, fs, handle) }
  } catch {
    // whatever is missing or broken: reading the file says so
    signal.throwIfAborted()

    return undefined
  }
}

/** The SHA-256 of the original bytes of a base, in base64. Undefined: it cannot be read. */
async function digestOf (context: ResponseContext, base: Base): Promise<string | undefined> {
  const { init: { parts: { caches } }, signal } = context
  const { plain: { code, multihash, bytes } } = base

  // the hash of a raw block is that of the file
  if (code === raw.code && multihash.code === SHA_256.code) {
    return base64pad.baseEncode(multihash.digest)
  }

  try {
    return await caches.digests?.get(base32.baseEncode(bytes), async signal => {
      const hash = sha256.create()

      for await (const bytes of readFile(context, base, followSignal(signal))) {
        hash.update(bytes)
      }

      return base64pad.baseEncode(hash.digest())
    }, signal)
  } catch {
    signal.throwIfAborted()

    return undefined
  }
}

export const dictionaries: Dictionaries = { takesDelta, chooseDelta, offer }
