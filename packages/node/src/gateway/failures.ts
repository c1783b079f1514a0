import { LruMap } from '@ipfsz/utils/lru-map'
import { messageOf } from '@ipfsz/utils/message-of'

/** How long a failure that was printed is not printed again, in milliseconds. */
export const QUIET_TIME = 60_000

/** How many failures are remembered for that. */
const MAX_REMEMBERED = 1000

/** Maximum number of characters of a URL in a note. */
const MAX_URL = 300

export interface FailureNotesInit {
  onNote: (message: string) => void
  /** The time, in milliseconds since 1970. */
  now: () => number
}

/**
 * Tell the operator of the gateway's own failures, which clients are not told. A damaged block that many ask for
 * is told once a minute.
 */
export function noteFailures ({ onNote, now }: FailureNotesInit): (err: unknown, request: Request) => void {
  const printed = new LruMap<string, number>({ maxEntries: MAX_REMEMBERED })

  return (err, { method, url }) => {
    const failure = err instanceof Error ? `${err.name}: ${err.message}` : String(err)
    const time = now()

    if (time - (printed.peek(failure) ?? Number.NEGATIVE_INFINITY) < QUIET_TIME) {
      return
    }

    printed.set(failure, time)
    onNote(`could not answer ${method} ${url.slice(0, MAX_URL)}: ${failure}${reasonOf(err)}`)
  }
}

/** The cause, such as the error of the disk, if the message does not repeat it. */
function reasonOf (err: unknown): string {
  const cause = err instanceof Error ? err.cause : undefined

  return cause instanceof Error && !messageOf(err).includes(cause.message) ? ` (${messageOf(cause)})` : ''
}
