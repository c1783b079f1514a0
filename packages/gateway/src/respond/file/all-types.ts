import mime from 'mime'
import { fileTypes } from './content-type.ts'

/** The types of all names and bytes that are known. */
export const ALL_TYPES = fileTypes({ mime, magicType })

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
