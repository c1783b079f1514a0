import { DETECTION_SAMPLE_SIZE } from '../constants.ts'

const TAB = 0x09
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const LAST_PRINTABLE = 0x7e

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
export async function isCompressedType (bytes: Uint8Array): Promise<boolean> {
  const sample = bytes.subarray(0, DETECTION_SAMPLE_SIZE)

  if (isAsciiText(sample)) {
    return false
  }

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
 * Whether all bytes are ASCII text. None of the formats above is, and text that begins with
 * "GIF89a" is still text. This saves time: for a small file, file-type takes longer than
 * compressing it.
 */
function isAsciiText (bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.byteLength; i++) {
    const byte = bytes[i]

    if (byte > LAST_PRINTABLE || (byte < SPACE && (byte < TAB || byte > CARRIAGE_RETURN))) {
      return false
    }
  }

  return true
}
