import { parseIdKey, SESSIONS } from '../protocol/store-keys.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** Milliseconds between looks at what the other session has stored meanwhile. */
export const LOOK = 500
/** For how long a pack waits for a session of which nothing is known, and for one that has stored the same. */
const PATIENCE = 2000
const PATIENCE_IF_SAME = 10_000

/**
 * Another session that may be adding the same: of several that run, all follow the one with the smallest ID. Who
 * follows stores each pack only when the next one is full, and leaves out what the other one has stored by then. It
 * waits for that, and does not follow any more once it has waited in vain. This is about space alone: nothing is lost
 * if the other session adds something else, or is dead.
 */
export class FollowedSession {
  /** The session of this process that last asked. */
  #follower: string | undefined
  #isOn = false
  #isSame = false
  #finding: Promise<void> | undefined

  get isOn (): boolean {
    return this.#isOn
  }

  /** For how many milliseconds a pack waits until something more of it is stored. */
  get patience (): number {
    return this.#isSame ? PATIENCE_IF_SAME : PATIENCE
  }

  /** Look for one, once for each session. */
  async find (objects: Pick<ObjectStore, 'list'>, follower: string | undefined): Promise<void> {
    if (follower != null && follower !== this.#follower) {
      this.#follower = follower
      this.#isOn = false
      this.#isSame = false
      this.#finding = this.#find(objects, follower)
    }

    await this.#finding
  }

  async #find (objects: Pick<ObjectStore, 'list'>, follower: string): Promise<void> {
    try {
      // in the order of their keys: the first ones are enough
      for await (const page of objects.list(SESSIONS)) {
        this.#isOn = page.some(({ key }) => (parseIdKey(SESSIONS, key) ?? follower) < follower)
        break
      }
    } catch (err) {
      this.#follower = undefined
      this.#finding = undefined
      throw err
    }
  }

  /** Whether it had stored something of a pack. If not, it adds something else. */
  note (hasStored: boolean): void {
    this.#isSame ||= hasStored
    this.#isOn &&= hasStored
  }
}
