import { fileTypeFromBuffer } from 'file-type'
import { DETECTION_SAMPLE_SIZE } from '../constants.ts'

const TAB = 0x09
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const LAST_PRINTABLE = 0x7e

/**
 * The file types whose content is compressed already, by the extension that
 * file-type gives them. Containers and formats that may hold plain bytes too
 * (wav, pdf, tar, sqlite) are not here: the trial of the first frame decides.
 */
const COMPRESSED = new Set([
  // archives and compressed streams
  'zip', 'rar', 'gz', 'tar.gz', 'bz2', '7z', 'xz', 'zst', 'lz', 'lz4', 'Z', 'lzh', 'arj', 'ace', 'cab', 'rpm', 'dmg', 'crx', 'xpi', 'apk', 'jar', 'drc',
  // documents that are zip files
  'docx', 'docm', 'dotx', 'dotm', 'pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm', 'xlsx', 'xlsm', 'xltx', 'xltm', 'vsdx', 'epub',
  'odt', 'ods', 'odp', 'odg', 'ott', 'ots', 'otp', 'otg', '3mf', 'skp', 'key', 'numbers', 'pages',
  // images
  'jpg', 'png', 'apng', 'gif', 'webp', 'avif', 'heic', 'flif', 'bpg', 'jxl', 'jxr', 'jp2', 'jpm', 'jpx', 'j2c', 'mj2', 'jls', 'cr3', 'raf', 'rw2',
  // sound
  'mp1', 'mp2', 'mp3', 'm4a', 'm4b', 'm4p', 'f4a', 'f4b', 'aac', 'ac3', 'oga', 'ogg', 'opus', 'spx', 'flac', 'ape', 'wv', 'mpc', 'amr', 'qcp',
  // video
  'mp4', 'm4v', 'mov', 'mkv', 'webm', 'avi', 'mpg', 'mts', '3gp', '3g2', 'ogv', 'ogm', 'ogx', 'asf', 'flv', 'f4v', 'f4p', 'rm',
  // fonts
  'woff', 'woff2'
])

/**
 * Whether a file's first bytes are those of a format that is compressed already.
 *
 * @param bytes - the beginning of the file, of which at most 4 KiB are looked at
 */
export async function isCompressedType (bytes: Uint8Array): Promise<boolean> {
  const sample = bytes.subarray(0, DETECTION_SAMPLE_SIZE)

  if (isAsciiText(sample)) {
    return false
  }

  try {
    const type = await fileTypeFromBuffer(sample)

    return type != null && COMPRESSED.has(type.ext)
  } catch {
    // what cannot be told by its first bytes is told by the trial
    return false
  }
}

/**
 * Whether bytes are nothing but printable ASCII, as none of those formats is: text
 * that begins with "GIF89a" is text. Asking file-type takes longer for a small file
 * than compressing it does.
 */
function isAsciiText (bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte > LAST_PRINTABLE || (byte < SPACE && (byte < TAB || byte > CARRIAGE_RETURN))) {
      return false
    }
  }

  return true
}
