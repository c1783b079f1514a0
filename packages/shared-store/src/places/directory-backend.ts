import { constants } from 'node:fs'
import { access, mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { removeStale } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { StoreError, StoreMissingError } from '../errors.ts'
import { DirectoryObjects, TEMPORARY } from '../objects/directory-objects.ts'
import { MeasuredObjects } from '../objects/measured-objects.ts'
import { Mount } from '../objects/mount.ts'
import { pathOf } from '../objects/object-names.ts'
import { OlderFiles } from '../older/older-files.ts'
import { FreeSpace } from '../storage/free-space.ts'
import { MARK_KEY } from './store-mark.ts'
import { StoreTraffic } from '../objects/store-traffic.ts'
import { StoreWatch } from '../objects/store-watch.ts'
import type { StoreBackend } from './store-backend.ts'

/** What file systems and their servers put into an empty one. */
const OF_THE_SYSTEM = /^(?:lost\+found$|\.)/

/** A store in a directory. Creates nothing. */
export function directoryBackend (directory: string): StoreBackend {
  const mount = new Mount(directory, join(directory, pathOf(MARK_KEY)))
  const { check: checkMounted, makeDirectory } = mount
  const traffic = new StoreTraffic()
  const objects = new MeasuredObjects(new DirectoryObjects(directory, { checkMounted, makeDirectory }), traffic)

  return {
    name: directory,
    isRemote: false,
    traffic,
    watch: new StoreWatch({ name: directory, isRemote: false, look: checkMounted }),
    objects,
    records: objects,
    unmarked: new DirectoryObjects(directory, {
      checkMounted: async () => {},
      makeDirectory: async path => { await mkdir(path, { recursive: true }) }
    }),
    freeSpace: new FreeSpace(directory),
    open: async () => openDirectory(mount),
    older: () => new OlderFiles(mount),
    async isEmpty () {
      try {
        return (await readdir(directory)).every(name => OF_THE_SYSTEM.test(name))
      } catch (err) {
        throw new StoreError(
          `Cannot list the directory ${directory} of the store: ${messageOf(err)}. Create or mount it first`,
          { cause: err }
        )
      }
    }
  }
}

/** Unfinished objects of killed processes are deleted once they are an hour old. */
async function openDirectory ({ check, directory, makeDirectory }: Mount): Promise<void> {
  const temporary = join(directory, TEMPORARY)
  await check()

  try {
    await makeDirectory(temporary)
    await access(temporary, constants.W_OK)
    await removeStale(temporary)
  } catch (err) {
    throw err instanceof StoreMissingError
      ? err
      : new StoreError(`The store ${directory} is not writable: ${messageOf(err)}`, { cause: err })
  }
}

/**
 * The path of a store's directory: a reference must not depend on links or on where a command was started.
 *
 * @throws {StoreError} there is no such directory
 */
export async function resolveDirectory (directory: string): Promise<string> {
  try {
    return await realpath(directory)
  } catch (err) {
    throw new StoreError(`There is no directory ${directory} for the store: create or mount it first`, { cause: err })
  }
}
