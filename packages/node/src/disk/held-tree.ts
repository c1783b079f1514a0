import { withShownPath } from './target-errors.ts'
import type { HeldDirectory } from './held-directory.ts'

/** How many directories are kept open: a tree may have millions, and their files are read later. */
const MAX_OPEN = 32

interface Open {
  held: Promise<HeldDirectory>
  /** How many calls of `within` use it. */
  users: number
}

/**
 * A tree of directories that others may change while it is read. Every directory is reached from the root by its name
 * in the one above it, and never through a symlink: so all that is read is in the tree.
 */
export class HeldTree {
  readonly #root: HeldDirectory
  /** By their paths, the last used one last. */
  readonly #open = new Map<string, Open>()

  constructor (root: HeldDirectory) {
    this.#root = root
  }

  get root (): HeldDirectory {
    return this.#root
  }

  /**
   * Call a function with a directory of the tree, which is held until it returns.
   *
   * @param path - relative to the root, which is the empty path
   * @throws {TreeEntryError} the directory was replaced by something else
   */
  async within<T> (path: string, work: (directory: HeldDirectory) => Promise<T>): Promise<T> {
    const { directory, release } = await this.hold(path)

    try {
      return await work(directory)
    } catch (err) {
      throw withShownPath(err, directory)
    } finally {
      release()
    }
  }

  /**
   * Hold a directory of the tree until it is released.
   *
   * @throws {TreeEntryError} as `within`
   */
  async hold (path: string): Promise<{ directory: HeldDirectory, release: () => void }> {
    if (path === '') {
      return { directory: this.#root, release: () => {} }
    }

    const open = this.#use(path)

    try {
      return { directory: await open.held, release: () => { open.users-- } }
    } catch (err) {
      open.users--
      throw err
    }
  }

  async close (): Promise<void> {
    await Promise.all([this.#root.close(), ...Array.from(this.#open.values(), close)])
    this.#open.clear()
  }

  /** A directory that stays open as long as it has a user. */
  #use (path: string): Open {
    const known = this.#open.get(path)
    const slash = path.lastIndexOf('/')
    const open = known ?? {
      held: this.within(path.slice(0, Math.max(0, slash)), async above => above.enter(path.slice(slash + 1))),
      users: 0
    }

    open.users++
    this.#open.delete(path)
    this.#open.set(path, open)

    if (known == null) {
      open.held.catch(() => { this.#open.delete(path) })
      this.#closeOldest()
    }

    return open
  }

  #closeOldest (): void {
    for (const [path, open] of this.#open) {
      if (this.#open.size <= MAX_OPEN) {
        return
      }

      if (open.users === 0 && this.#open.delete(path)) {
        void close(open)
      }
    }
  }
}

async function close ({ held }: Open): Promise<void> {
  await held.then(async directory => directory.close(), () => {})
}
