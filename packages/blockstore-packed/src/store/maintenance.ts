import { codeOf } from '../disk/disk.ts'
import { INDEX, LOCKS, MAINTENANCE, PACKS, lockName } from '../pack/pack-names.ts'
import { chooseSegments, mergeSegments } from './merge-segments.ts'
import { isIndexable, writeTables } from './scan-packs.ts'
import { sealDeadPack } from './seal-dead-pack.ts'
import type { AppenderComponents } from './appender.ts'
import type { PackState } from './pack-state.ts'
import type { View } from './view.ts'
import type { Disk } from '../disk/disk.ts'

/** Milliseconds until the lock is tried again, at first and at most. */
const FIRST_WAIT = 1
const MAX_WAIT = 50

/** What only one process does at a time. */
export class Maintenance {
  readonly #disk: Disk
  readonly #view: View
  readonly #newId: () => string

  constructor ({ disk, view, newId }: AppenderComponents) {
    this.#disk = disk
    this.#view = view
    this.#newId = newId
  }

  /** Do some work while no other process does any of the kind, with a view that is up to date. */
  async exclusively<T> (work: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(MAX_WAIT, wait * 2)) {
      signal?.throwIfAborted()
      const release = await this.#disk.lock(MAINTENANCE)

      if (release != null) {
        try {
          await this.#begin()

          return await work()
        } finally {
          release()
        }
      }

      await this.#disk.wait(wait)
    }
  }

  /** The same, unless another process is at it. */
  async ifFree (work: () => Promise<void>): Promise<void> {
    const release = await this.#disk.lock(MAINTENANCE)

    if (release != null) {
      try {
        await this.#begin()
        await work()
      } finally {
        release()
      }
    }
  }

  /**
   * If there is anything to do: seal what dead processes left, complete the index, and remove files that nobody needs.
   * Nothing depends on it, so it may fail.
   */
  async tidy (): Promise<void> {
    await this.#view.lookAgain()
    const { packs, index } = this.#view
    const states = Array.from(packs.values())

    if (
      states.some(state => isIndexable(state) || (!state.isSealed && state.writer == null)) ||
      chooseSegments(index.segments) != null || index.useless(id => packs.has(id)).length > 0
    ) {
      await this.ifFree(async () => {
        await this.#sealDeadPacks()
        await this.#completeIndex()
        await this.#removeLeftovers()
      })
    }
  }

  /** Seal what dead processes left: only sealed packs are rewritten. */
  async sealDead (): Promise<void> {
    await this.#view.lookAgain()

    if (Array.from(this.#view.packs.values()).some(({ isSealed, writer }) => !isSealed && writer == null)) {
      await this.ifFree(async () => this.#sealDeadPacks())
    }
  }

  async rebuildIndex (): Promise<void> {
    for (const name of await this.#disk.list(INDEX)) {
      if (name.endsWith('.idx')) {
        await this.#disk.remove(`${INDEX}/${name}`)
      }
    }

    await this.#view.lookAgain()
    await this.#completeIndex()
  }

  /**
   * Look what is there. A pack that was removed must not come back after a loss of power: blocks that were deleted
   * since might be in it, and deletions in it are dropped.
   */
  async #begin (): Promise<void> {
    await this.#disk.syncDirectory(PACKS).catch((err: unknown) => {
      // nothing was ever put
      if (codeOf(err) !== 'ENOENT') {
        throw err
      }
    })
    await this.#view.lookAgain()
    this.#view.checkReadable()
  }

  async #sealDeadPacks (): Promise<void> {
    const unsealed = Array.from(this.#view.packs.values()).filter(
      ({ isSealed, writer }) => !isSealed && writer == null
    )

    for (const { id } of unsealed) {
      if (!await this.#disk.isLocked(lockName(id)) && await sealDeadPack(this.#disk, id) === 'removed') {
        this.#view.remove(id)
      }
    }

    if (unsealed.length > 0) {
      await this.#view.lookAgain()
    }
  }

  /** Write index files of packs that have none, and merge those that are small. */
  async #completeIndex (): Promise<void> {
    const missing: PackState[] = []

    for (const state of this.#view.packs.values()) {
      // while it is locked, its writer is about to do it
      if (isIndexable(state) && !await this.#disk.isLocked(lockName(state.id))) {
        missing.push(state)
      }
    }

    if (missing.length > 0) {
      await writeTables(this.#disk, this.#newId(), missing)
      await this.#view.lookAgain()
    }

    for (;;) {
      const segments = chooseSegments(this.#view.index.segments)

      if (segments == null) {
        return
      }

      await mergeSegments(this.#disk, this.#newId(), {
        segments,
        index: this.#view.index,
        exists: id => this.#view.packs.has(id)
      })
      await this.#view.lookAgain()
    }
  }

  async #removeLeftovers (): Promise<void> {
    for (const name of this.#view.index.useless(id => this.#view.packs.has(id))) {
      await this.#disk.remove(name)
    }

    for (const name of await this.#disk.list(INDEX)) {
      // others write such files of their own packs
      if (name.endsWith('.tmp') && !await this.#disk.isLocked(lockName(name.slice(0, -'.tmp'.length)))) {
        await this.#disk.remove(`${INDEX}/${name}`)
      }
    }

    for (const name of await this.#disk.list(LOCKS)) {
      if (!this.#view.packs.has(name) && name !== 'maintenance') {
        await this.#disk.removeLock(lockName(name))
      }
    }
  }
}
