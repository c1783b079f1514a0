import { keyOf } from '../../dag/dag-walk.ts'
import { BlockSession } from './block-session.ts'
import type { SessionComponents } from './search-peers.ts'
import type { CID } from 'multiformats/cid'

/** How many sessions are kept: beyond that, idle ones are closed and their peers forgotten. */
const MAX_SESSIONS = 64
/** How long an idle session is kept, in milliseconds. */
const SESSION_LIFETIME = 60_000

/** The sessions of the roots that are read from a node's peers, the one used last at the end. */
export class BlockSessions {
  readonly #node: SessionComponents
  readonly #sessions = new Map<string, BlockSession>()

  constructor (node: SessionComponents) {
    this.#node = node
  }

  /** The session of a root, a plain CID. It is opened if there is none. */
  get (root: CID): BlockSession {
    const key = keyOf(root)
    const session = this.#sessions.get(key) ?? new BlockSession(root, this.#node)

    session.lastUsed = Date.now()
    this.#sessions.delete(key)
    this.#sessions.set(key, session)

    for (const [other, { busy, lastUsed }] of this.#sessions) {
      const expired = this.#sessions.size > MAX_SESSIONS || Date.now() - lastUsed > SESSION_LIFETIME

      if (other !== key && !busy && expired) {
        this.#sessions.get(other)?.close()
        this.#sessions.delete(other)
      }
    }

    return session
  }

  close (): void {
    this.#sessions.forEach(session => { session.close() })
  }
}
