import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isAt } from '@ipfsz/utils/open-regular-file'
import { IDENTITY_SIZE, identityOf, isSameIdentity } from '../disk/file-identity.ts'

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

export interface FilesToRead {
  /** Paths of directories, which the system knows. */
  directories: readonly string[]
  names: readonly string[]
  /** In which of the directories each is. */
  places: Uint32Array
  /** When each was examined: see `identityOf`. */
  identities: BigInt64Array
}

export interface SmallFile {
  bytes: Uint8Array
  /** Whether it is what was examined. */
  isSame: boolean
}

/**
 * Read files as they are, without waiting for any of them: symlinks are not followed.
 *
 * @param allocate - gives the memory of all of them
 * @returns undefined for each that cannot be read so, whatever the reason is: it is read in the ordinary way, which
 *   reports that
 */
export function readSmallFiles (
  { directories, names, places, identities }: FilesToRead,
  allocate: (size: number) => Buffer
): Array<SmallFile | undefined> {
  const sizes = names.map((_, i) => Number(identities[i * IDENTITY_SIZE]) + 1)
  // one byte more for each, which tells whether it has grown
  const memory = allocate(sizes.reduce((sum, size) => sum + size, 0))
  let start = 0

  return names.map((name, i) => {
    const room = memory.subarray(start, start += sizes[i])
    const identity = identities.subarray(i * IDENTITY_SIZE, (i + 1) * IDENTITY_SIZE)

    try {
      return readSmallFile(`${directories[places[i]]}/${name}`, room, identity)
    } catch {
      return undefined
    }
  })
}

/** Open what should be a file. Look at what it is, then. */
export function openToRead (path: string): number {
  return openSync(path, FLAGS)
}

function readSmallFile (path: string, room: Buffer, identity: BigInt64Array): SmallFile | undefined {
  const fd = openToRead(path)

  try {
    const stats = fstatSync(fd, { bigint: true })

    if (!stats.isFile() || !isAt(path, stats)) {
      return undefined
    }

    const size = Number(stats.size)
    let length = 0

    for (let isAtEnd = false; !isAtEnd;) {
      const read = readSync(fd, room, length, room.byteLength - length, null)
      length += read
      // those of /proc say that they are empty
      isAtEnd = read === 0 || length === size || length === room.byteLength
    }

    const isSame = isSameIdentity(identityOf(stats), identity)

    return length === room.byteLength ? undefined : { bytes: room.subarray(0, length), isSame }
  } finally {
    closeSync(fd)
  }
}
