import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { PackFiles } from '../../src/pack/pack-files.ts'
import { PackWriter } from '../../src/pack/pack-writer.ts'
import { Appender } from '../../src/store/appender.ts'
import { Maintenance } from '../../src/store/maintenance.ts'
import { View } from '../../src/store/view.ts'
import { WriteQueue } from '../../src/store/write-queue.ts'
import { PackedBlockstore } from '../../src/index.ts'
import type { Disk, DiskFile } from '../../src/disk/disk.ts'
import type { Plant } from './simulate.ts'

/** A seed below 1,000 from which on the fault is found soon; all of them are tried if it is not. */
export const FIRST_SEEDS: Readonly<Record<string, number>> = {
  'a sync that failed counts as one that did not': 140,
  'blocks count as stored that another process has not synced': 455,
  'two processes delete and repack at the same time': 55
}

/** Faults that somebody might make, each of which the simulation must find. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'packs are not synced': {
    disk: disk => withFiles(disk, isPack, file => ({ ...file, sync: async () => {} }))
  },
  'the names of new packs are not synced': {
    disk: disk => ({ ...disk, syncDirectory: async () => {} })
  },
  'a sync that failed counts as one that did not': {
    disk: disk => withFiles(disk, isPack, file => ({ ...file, sync: async () => file.sync().catch(() => {}) }))
  },
  'a write that failed counts as one that did not': {
    disk: disk => withFiles(disk, isPack, file => ({
      ...file, write: async (bytes, position) => file.write(bytes, position).catch(() => {})
    }))
  },
  'a write ends before its last byte': {
    disk: disk => withFiles(disk, isPack, file => ({
      ...file, write: async (bytes, position) => file.write(bytes.subarray(0, -1), position)
    }))
  },
  'changes are not announced': {
    patch: () => replace(View.prototype, 'announce', async () => {})
  },
  'a put is acknowledged before it is synced': {
    patch: () => replace(WriteQueue.prototype, 'commit', async function (this: WriteQueue) { await this.flush() })
  },
  'a put is acknowledged though it failed': {
    patch: () => wrap(WriteQueue.prototype, 'commit', async original => original().catch(() => {}))
  },
  'a deletion is acknowledged, and not stored': {
    patch: () => wrap(Appender.prototype, 'append', async (original, encoded, deletions) =>
      deletions == null ? original(encoded) : undefined)
  },
  'a reader does not look again': {
    disk: (disk, role) => role === 'reader' ? { ...disk, list: once(disk) } : disk
  },
  'a pack that is gone is not looked for again': {
    patch: () => wrap(PackFiles.prototype, 'open', (original, id) => {
      try {
        return original(id)
      } catch (cause) {
        throw Object.assign(new Error('gone', { cause }), { code: 'EGONE' })
      }
    })
  },
  'blocks count as stored that another process has not synced': {
    patch: () => replace(View.prototype, 'isDurable', () => true)
  },
  'a pack says that it is synced before it is': {
    patch: () => wrap(PackWriter.prototype, 'append', async function (original, ...args) {
      this.synced = this.size

      return original(...args)
    })
  },
  'small packs are removed before their copy is synced': {
    patch: () => within(Maintenance.prototype, 'ifFree', isJoining => wrap(Appender.prototype, 'sync', async original =>
      isJoining() ? undefined : original()))
  },
  'small packs are joined beside a collection': {
    patch: () => replace(Maintenance.prototype, 'ifFree', async (work: () => Promise<void>) => work())
  },
  'a put does not look what others have deleted': {
    patch: () => replace(View.prototype, 'refresh', async () => {})
  },
  'checksums are not compared': {
    patch: () => {
      const { crc32 } = zlib
      zlib.crc32 = () => 0
      syncBuiltinESMExports()

      return () => {
        zlib.crc32 = crc32
        syncBuiltinESMExports()
      }
    }
  },
  'two processes delete and repack at the same time': {
    disk: disk => ({ ...disk, lock: async name => name.endsWith('maintenance') ? () => {} : disk.lock(name) })
  },
  'packs that are being written are taken for those of dead processes': {
    disk: disk => ({ ...disk, isLocked: async () => false })
  },
  'a repack does not look what others have done': {
    patch: () => replace(Maintenance.prototype, 'exclusively', async <T> (work: () => Promise<T>) => work())
  },
  'a pack is removed before its copy is synced': {
    patch: () => inRepack(isRepacking => wrap(Appender.prototype, 'sync', async original =>
      isRepacking() ? undefined : original()))
  },
  'a pack is removed though its copy failed': {
    patch: () => inRepack(isRepacking => wrap(Appender.prototype, 'append', async (original, ...args) =>
      isRepacking() ? original(...args).catch(() => {}) : original(...args)))
  },
  'a repack forgets deletions': {
    patch: () => inRepack(isRepacking => wrap(Appender.prototype, 'append', async (original, encoded, deletions) =>
      isRepacking() && deletions != null ? undefined : original(encoded, deletions)))
  },
  'the end of a dead pack is not written again': {
    disk: disk => withFiles(disk, isPack, (file, mode) => mode === 'update'
      ? { ...file, write: async (bytes, position) => position + bytes.byteLength <= file.size()
          ? undefined
          : file.write(bytes, position) }
      : file)
  },
  'the names of removed packs are not synced': {
    disk: disk => {
      let hasNew = false

      return {
        ...disk,
        open: async (name, mode) => {
          hasNew ||= isPack(name) && mode === 'create'

          return disk.open(name, mode)
        },
        syncDirectory: async name => {
          if (hasNew) {
            hasNew = false
            await disk.syncDirectory(name)
          }
        }
      }
    }
  },
  'two packs have one ID': {
    newId: newId => () => `${newId()[0]}`.repeat(32)
  }
}

function isPack (name: string): boolean {
  return name.startsWith('packs/')
}

function withFiles (
  disk: Disk,
  isMeant: (name: string) => boolean,
  change: (file: DiskFile, mode: string) => DiskFile
): Disk {
  return {
    ...disk,
    open: async (name, mode) => {
      const file = await disk.open(name, mode)

      return isMeant(name) ? change(file, mode) : file
    }
  }
}

/** Lists each directory once. */
function once (disk: Disk): Disk['list'] {
  const listed = new Map<string, Promise<string[]>>()

  return async name => {
    const list = listed.get(name) ?? disk.list(name)
    listed.set(name, list)

    return list
  }
}

/** Whether the code runs that a method calls. Others may call it at the same time: these are faults. */
function within<T extends object> (
  prototype: T,
  name: keyof T,
  patch: (isRunning: () => boolean) => () => void
): () => void {
  const original = prototype[name] as (...args: never[]) => Promise<unknown>
  let running = 0
  const restore = patch(() => running > 0)
  const restoreMethod = replace(prototype, name, async function (this: T, ...args: never[]) {
    running++

    try {
      return await original.apply(this, args)
    } finally {
      running--
    }
  } as T[keyof T])

  return () => {
    restoreMethod()
    restore()
  }
}

/** Whether the code runs that a repack calls. */
function inRepack (patch: (isRepacking: () => boolean) => () => void): () => void {
  return within(PackedBlockstore.prototype, 'repack', patch)
}

type Method = (...args: never[]) => unknown

function replace<T extends object, K extends keyof T> (prototype: T, name: K, method: T[K]): () => void {
  const original = prototype[name]
  prototype[name] = method

  return () => { prototype[name] = original }
}

/** Replace a method by one that gets the original as its first argument. */
function wrap<T extends object, K extends keyof T> (
  prototype: T,
  name: K,
  method: T[K] extends (...args: infer A) => infer R
    ? (this: T, original: (...args: A) => R, ...args: A) => R
    : never
): () => void {
  const original = prototype[name] as Method

  return replace(prototype, name, function (this: T, ...args: never[]) {
    return (method as unknown as (this: T, original: Method, ...args: never[]) => unknown).call(
      this, (...args: never[]) => original.apply(this, args), ...args
    )
  } as T[K])
}
