import { DETECTION_SAMPLE_SIZE } from '../constants.ts'
import { isText } from '../util/is-text.ts'

const DELETE = 0x7f

/** In UTF-8, the first bytes of characters that are not ASCII, and the most bytes of one. */
const FIRST_LEAD = 0xc0
const MAX_CHARACTER = 4

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Formats whose content is already compressed, by file-type's extension. Formats that may
 * also hold uncompressed bytes (wav, pdf, tar, sqlite) are missing on purpose: the trial of
 * the first frame decides about them.
 */
const COMPRESSED = new Set([
  // archives and compressed streams
  'zip', 'rar', 'gz', 'tar.gz', 'bz2', '7z', 'xz', 'zst', 'lz', 'lz4', 'Z', 'lzh', 'arj', 'ace', 'cab', 'rpm', 'dmg',
  'crx', 'xpi', 'apk', 'jar', 'drc',
  // documents that are zip files
  'docx', 'docm', 'dotx', 'dotm', 'pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm', 'xlsx', 'xlsm', 'xltx', 'xltm',
  'vsdx', 'epub', 'odt', 'ods', 'odp', 'odg', 'ott', 'ots', 'otp', 'otg', '3mf', 'skp', 'key', 'numbers', 'pages',
  // images
  'jpg', 'png', 'apng', 'gif', 'webp', 'avif', 'heic', 'flif', 'bpg', 'jxl', 'jxr', 'jp2', 'jpm', 'jpx', 'j2c', 'mj2',
  'jls', 'cr3', 'raf', 'rw2',
  // sound
  'mp1', 'mp2', 'mp3', 'm4a', 'm4b', 'm4p', 'f4a', 'f4b', 'aac', 'ac3', 'oga', 'ogg', 'opus', 'spx', 'flac', 'ape',
  'wv', 'mpc', 'amr', 'qcp',
  // video
  'mp4', 'm4v', 'mov', 'mkv', 'webm', 'avi', 'mpg', 'mts', '3gp', '3g2', 'ogv', 'ogm', 'ogx', 'asf', 'flv', 'f4v',
  'f4p', 'rm',
  // fonts
  'woff', 'woff2'
])

/**
 * Whether a file's first bytes are those of an already compressed format.
 *
 * @param bytes - the beginning of the file; only the first 4 KiB are examined
 */
export function isCompressedType (bytes: Uint8Array): boolean | Promise<boolean> {
  return beginsAsText(bytes) ? false : isKnownType(bytes.subarray(0, DETECTION_SAMPLE_SIZE))
}

/** Whether a file's first bytes are text, and so of none of these formats. */
export function beginsAsText (bytes: Uint8Array): boolean {
  return isUtf8Text(bytes.subarray(0, DETECTION_SAMPLE_SIZE))
}

async function isKnownType (sample: Uint8Array): Promise<boolean> {
  try {
    // loaded on first use: text does not need it
    const { fileTypeFromBuffer } = await import('file-type')
    const type = await fileTypeFromBuffer(sample)

    return type != null && COMPRESSED.has(type.ext)
  } catch {
    // unrecognized: the trial of the first frame decides
    return false
  }
}

/**
 * Whether all bytes are text in UTF-8, of which the last character may be cut off. None of the formats above is, and
 * text that begins with "GIF89a" is still text. This saves time: for a small file, file-type takes longer than
 * compressing it.
 */
function isUtf8Text (bytes: Uint8Array): boolean {
  return isText(bytes) && !bytes.includes(DELETE) && isUtf8(bytes.subarray(0, endOfCharacters(bytes)))
}

/** Where the last character begins if it is not ASCII, as it may be incomplete, and else the end. */
function endOfCharacters (bytes: Uint8Array): number {
  const { byteLength } = bytes
  const first = Math.max(0, byteLength - MAX_CHARACTER)

  for (let i = byteLength - 1; i >= first; i--) {
    if (bytes[i] <= DELETE) {
      return i + 1
    }

    if (bytes[i] >= FIRST_LEAD) {
      return i
    }
  }

  // no character: what is decoded tells so
  return byteLength
}

function isUtf8 (bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes)
    return true
  } catch {
    return false
  }
}
