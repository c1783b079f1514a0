import { shareOfBody } from '../../memory/turns.ts'
import { UNCOUNTED } from '../read-file.ts'
import { ResponseTooSlowError } from '../../errors.ts'
import type { Memory } from '../../memory/client-memory.ts'
import type { Cache } from '../cache.ts'

/** Memory for a page of 10,000 entries with the maximum size of names, in bytes. */
const MAKING_MEMORY = 48 * 1024 * 1024

export interface MadePage {
  bytes: Uint8Array
  /** Whether it is the same whenever it is made. */
  isFinal: boolean
}

type MakePage = (signal: AbortSignal) => Promise<MadePage>

/** Who needs a page. */
interface Need {
  /** Those who wait for it, or are being sent it. */
  users: Set<AbortController>
  /** Aborted when nobody needs it any more. */
  unneeded: AbortController
}

/** A page that is being made or sent, for all who asked for it. */
interface Page {
  bytes: Promise<Uint8Array>
  need: Need
}

/**
 * Pages that take long to make. Each is made once for all who ask for it at the same time: otherwise a few dozen
 * requests for a large directory would keep each other from ever being answered. Pages that are made or sent take
 * their part of the memory of all responses.
 */
export class Pages {
  readonly #pages = new Map<string, Page>()
  readonly #remembered: Cache<Uint8Array>

  constructor (remembered: Cache<Uint8Array>) {
    this.#remembered = remembered
  }

  /**
   * @param make - is given a signal that aborts when nobody waits for the page any more
   * @param memory - where it is taken, if nobody else has asked
   * @param user - of one who wants it. Aborted if the page is sent too slowly while others wait for memory
   * @returns the page, and what to call when it is sent
   */
  async get (
    key: string,
    make: MakePage,
    memory: Memory,
    user: AbortController
  ): Promise<{ bytes: Uint8Array, give: () => void }> {
    user.signal.throwIfAborted()

    const { bytes, need } = this.#pages.get(key) ?? this.#open(key, make, memory)
    const { users, unneeded } = need
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const give = (): void => {
      user.signal.removeEventListener('abort', stop)
      users.delete(user)

      if (users.size === 0) {
        this.#forget(key, need)
        unneeded.abort()
      }
    }
    const stop = (): void => {
      give()
      reject(user.signal.reason)
    }

    users.add(user)
    user.signal.addEventListener('abort', stop)
    // once the page is there, nobody waits for this
    stopped.catch(() => {})

    try {
      return { bytes: await Promise.race([bytes, stopped]), give }
    } catch (err) {
      give()
      throw err
    }
  }

  #open (key: string, make: MakePage, memory: Memory): Page {
    const need = { users: new Set<AbortController>(), unneeded: new AbortController() }
    const page = { bytes: this.#make({ key, make, need }, memory), need }

    // nobody may be waiting any more
    page.bytes.catch(() => { this.#forget(key, need) })
    this.#pages.set(key, page)

    return page
  }

  async #make (
    { key, make, need }: { key: string, make: MakePage, need: Need },
    memory: Memory
  ): Promise<Uint8Array> {
    const { users, unneeded } = need
    const remembered = this.#remembered.get(key)
    const size = remembered?.byteLength ?? MAKING_MEMORY

    if (remembered != null && size <= UNCOUNTED) {
      return remembered
    }

    const share = await memory.take({
      ...shareOfBody(size, unneeded),
      revoke: () => { users.forEach(user => { user.abort(new ResponseTooSlowError()) }) }
    })

    if (remembered != null) {
      return remembered
    }

    const { bytes, isFinal } = await make(unneeded.signal)
    share.resize(bytes.byteLength)
    share.touch(share.init.patience)

    if (isFinal) {
      this.#remembered.set(key, bytes)
    } else {
      this.#forget(key, need)
    }

    return bytes
  }

  /** Who asks next gets another one. */
  #forget (key: string, need: Need): void {
    if (this.#pages.get(key)?.need === need) {
      this.#pages.delete(key)
    }
  }
}
