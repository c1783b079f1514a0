import { utimesSync } from 'node:fs'
import { mkdir, opendir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { TreeEntryError } from '../errors.ts'
import { checkNothingThere } from './get-target.ts'
import { holdToWrite } from './held-directory.ts'
import { withPath } from './target-errors.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import type { HeldDirectory } from './held-directory.ts'

/** A new directory under a temporary name beside its target, which other users cannot see into. */
export class TemporaryDirectory {
  readonly directory: HeldDirectory
  readonly #parent: HeldDirectory
  readonly #name: string
  readonly #stopRefreshing: () => void

  /** @param name - in `parent` */
  constructor (directory: HeldDirectory, parent: HeldDirectory, name: string) {
    this.directory = directory
    this.#parent = parent
    this.#name = name
    this.#stopRefreshing = keepFresh(now => { utimesSync(directory.path, now, now) })
  }

  /**
   * Set metadata such as its mode, then rename it to its final name.
   *
   * @throws {TreeEntryError} something has that name by now, such as what another `get` wrote
   */
  async complete (restore: (directory: HeldDirectory) => Promise<void>): Promise<void> {
    const { path, shown } = this.directory
    const [parent, name] = [this.#parent, this.#name]

    this.#stopRefreshing()
    await restore(this.directory)
    await parent.checkEntry(name, await stat(path, { bigint: true }), shown)
    await retryWhileOpen(async () => rename(`${parent.path}/${name}`, `${parent.path}/${basename(shown)}`))
      .catch(async (err: unknown) => {
        await checkNothingThere(shown, 'a directory')
        throw withPath(err, shown)
      })
  }

  /** Delete it, unless it is complete. Ignores errors. */
  async remove (): Promise<void> {
    await removeTemporary(this.#parent, this.#name, this.directory)
  }

  async close (): Promise<void> {
    this.#stopRefreshing()
    await this.directory.close()
    await this.#parent.close()
  }
}

/**
 * Make a temporary directory beside a target.
 *
 * @throws {TreeEntryError} another program replaced it, or could: see `holdToWrite`
 */
export async function makeTemporary (target: string): Promise<TemporaryDirectory> {
  const parent = await holdToWrite(dirname(target))
  const name = temporaryFor(basename(target))

  try {
    await mkdir(`${parent.path}/${name}`, { mode: 0o700 }).catch((err: unknown) => {
      throw withPath(err, parent.shown)
    })

    return new TemporaryDirectory(await enterNew(parent, name, join(parent.shown, basename(target))), parent, name)
  } catch (err) {
    await parent.close()
    throw err
  }
}

/** Hold a new directory, which is empty: in one that took its place, a failure would delete entries of others. */
async function enterNew (parent: HeldDirectory, name: string, shown: string): Promise<HeldDirectory> {
  const made = await parent.enter(name, shown)

  try {
    const entries = await opendir(made.path)
    const first = await entries.read().finally(async () => entries.close())

    if (first == null) {
      return made
    }
  } catch (err) {
    await made.close()
    throw err
  }

  await made.close()
  throw new TreeEntryError(shown, 'was replaced by another program before it was complete')
}
