// Room: a file, whole, in part, or as it is stored, and its type.
import mime from 'mime'
import { fileTypes } from './content-type.ts'

/**
 * Endings of source code that are registered for something rarer: TypeScript is not always `video/mp2t`, nor Rust ever
 * `application/rls-services+xml`. The bytes tell.
 */
const SHARED_ENDING = /\.(?:cu|mts|org|rs|sc|scm|st|ts)$/i

/** The types of all names and bytes that are known. */
export const ALL_TYPES = fileTypes({
  mime: { getType: path => SHARED_ENDING.test(path) ? null : mime.getType(path) },
  magicType
})

async function magicType (sample: Uint8Array): Promise<string | undefined> {
  // loaded when the first file has no telling name
  const { fileTypeFromBuffer } = await import('file-type')

  try {
    return (await fileTypeFromBuffer(sample))?.mime
  } catch {
    // a damaged file is of no type
    return undefined
  }
}
