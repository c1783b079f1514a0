import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFoundError } from 'interface-store'
import { readRegularFile } from '../disk/read-regular-file.ts'
import { RepoError } from '../errors.ts'
import { FlatfsNames } from './flatfs-names.ts'
import type { KuboSource } from './kubo-source.ts'

/** Maximum number of bytes of a block, 32 MiB: sixteen times what nodes exchange. */
const MAX_BLOCK_SIZE = 32 * 1024 * 1024

/** Error codes of a file that does not exist. A name is too long for a file if no block can have it. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/**
 * The blocks of a Kubo's repo, to read. They are not compared with their CIDs here. (blockstore-fs waits for ever for
 * a named pipe, reads files of any size, and reports every block that it may not read as missing.)
 *
 * @param directory - of the flatfs
 */
export function flatfsBlocks (directory: string): KuboSource['blockstore'] {
  const names = new FlatfsNames()
  const pathOf = (...cid: Parameters<FlatfsNames['encode']>): string => {
    const { dir, file } = names.encode(...cid)

    return join(directory, dir, file)
  }

  return {
    async * get (cid, options) {
      try {
        yield await readRegularFile(pathOf(cid), MAX_BLOCK_SIZE, options?.signal)
      } catch (cause) {
        options?.signal?.throwIfAborted()

        if (MISSING.has((cause as NodeJS.ErrnoException).code)) {
          throw Object.assign(new NotFoundError(`Kubo's repo does not have the block ${cid}`), { cause })
        }

        throw new RepoError(`The block ${cid} of Kubo's repo cannot be read`, { cause })
      }
    },
    has: async (cid, options) => {
      options?.signal?.throwIfAborted()

      return access(pathOf(cid)).then(() => true, () => false)
    },
    put: async cid => cid
  }
}
