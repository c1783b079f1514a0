import { readWholeFile } from './read-file.ts'

/** Maximum number of bytes of a file with settings or an address. */
const MAX_SIZE = 64 * 1024

/**
 * The bytes of a small file of a repo, a store or a cache, or undefined if there is no such file. Anybody may have
 * written it: it may be a pipe or a device, which `readFile` would wait for, deaf to signals.
 *
 * @param maxSize - 64 KiB by default
 * @throws {TypeError} it is too large, or not a regular file
 */
export async function readOwnFile (file: string, maxSize = MAX_SIZE): Promise<Buffer | undefined> {
  let bytes: Uint8Array | undefined

  try {
    bytes = await readWholeFile(file, { max: maxSize })
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException

    if (code === 'ENOENT') {
      return undefined
    }

    // a socket cannot be opened
    throw code === 'EISDIR' || code === 'ENXIO'
      ? Object.assign(new TypeError(`${file} is not a regular file`, { cause: err }), { code })
      : err
  }

  if (bytes == null) {
    throw new TypeError(`${file} exceeds the limit of ${maxSize} bytes`)
  }

  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
