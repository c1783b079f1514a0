import { readWholeFile } from '@ipfsz/codecs/internal'

/**
 * The bytes of a file that anybody may have written, or undefined if there is no such file.
 *
 * @throws {TypeError} it is too large, or not a regular file
 */
export async function readRecord (file: string, maxSize: number): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array | undefined

  try {
    bytes = await readWholeFile(file, { max: maxSize })
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException

    if (code === 'ENOENT') {
      return undefined
    }

    throw code === 'EISDIR' ? new TypeError('it is not a regular file', { cause: err }) : err
  }

  if (bytes == null) {
    throw new TypeError(`it exceeds the limit of ${maxSize} bytes`)
  }

  return bytes
}
