/**
 * The file of an object. Names use only characters that every file system keeps apart, so that keys which differ in the
 * case of a letter do not share a file. The name of a file has a dot in it, and that of a directory has none: the keys
 * `a` and `a/b` may both exist.
 */

/** The extension of files with objects. All other files belong to somebody else. */
const EXTENSION = '.data'
const ENCODER = new TextEncoder()

/** The path of an object below the directory of a store, with slashes. */
export function pathOf (key: string): string {
  checkKey(key)
  const segments = key.split('/')
  const last = segments.pop() as string

  return [...segments.map(directoryName), fileName(last)].join('/')
}

/** The last part of a key, by the name of its file. Undefined: no object has this name. */
export function segmentOfFile (name: string): string | undefined {
  if (!name.endsWith(EXTENSION)) {
    return undefined
  }

  const segment = unescape(name.slice(0, -EXTENSION.length))

  return segment != null && segment !== '' && fileName(segment) === name ? segment : undefined
}

/** A part of a key, by the name of its directory. Undefined: no object lies below it. */
export function segmentOfDirectory (name: string): string | undefined {
  const segment = unescape(name)

  return segment != null && segment !== '' && directoryName(segment) === name ? segment : undefined
}

/** Compare texts as their bytes in UTF-8, not as those in UTF-16: the order of S3. */
export function compareKeys (a: string, b: string): number {
  const length = Math.min(a.length, b.length)

  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) {
      return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    }
  }

  return a.length - b.length
}

/** @throws {TypeError} no object can have this key */
function checkKey (key: string): void {
  if (key.split('/').includes('') || key.includes('\0') || !key.isWellFormed()) {
    throw new TypeError(`${JSON.stringify(key)} cannot be the key of an object: a segment is empty, or is not text`)
  }
}

/** Surrogates stand for characters above all others. */
function rank (unit: number): number {
  if (unit < 0xd800) {
    return unit
  }

  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Does not begin with a dot: such files are hidden. */
function fileName (segment: string): string {
  return escape(segment, /[^a-z\d_.-]/gu).replace(/^\./, '%2e') + EXTENSION
}

function directoryName (segment: string): string {
  return escape(segment, /[^a-z\d_-]/gu)
}

function escape (segment: string, others: RegExp): string {
  return segment.replace(others, character =>
    Array.from(ENCODER.encode(character), byte => `%${byte.toString(16).padStart(2, '0')}`).join(''))
}

function unescape (name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
