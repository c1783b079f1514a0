import { InvalidDagError } from '../errors.ts'
import { followCbor } from './cbor-path.ts'
import { followJson } from './json-path.ts'
import type { PathEnd } from './path-end.ts'
import type { Steps } from './steps.ts'
import type { CID } from 'multiformats/cid'

/** The multicodecs of DAG-CBOR and DAG-JSON. */
const DAG_CBOR = 0x71
const DAG_JSON = 0x0129

/** Whether a codec is one of documents with links: DAG-CBOR or DAG-JSON. */
export function isDocument ({ code }: Pick<CID, 'code'>): boolean {
  return code === DAG_CBOR || code === DAG_JSON
}

/**
 * Follow names through the maps and lists of a DAG-CBOR or DAG-JSON document, up to the first link. Nothing else of it
 * is decoded.
 *
 * @param pause - called every few milliseconds, to let others go on, with the milliseconds since the last time. It may
 *   throw
 * @throws {InvalidDagError} it is not valid
 */
export async function followDocument (
  cid: CID,
  block: Uint8Array,
  names: readonly string[],
  pause: (milliseconds: number) => Promise<void>
): Promise<PathEnd> {
  const steps = cid.code === DAG_CBOR ? followCbor(block, names) : followJson(block, names)

  for (;;) {
    const began = performance.now()
    const { done, value } = nextStep(steps, cid)

    await pause(performance.now() - began)

    if (done === true) {
      return value
    }
  }
}

function nextStep (steps: Steps<PathEnd>, cid: CID): IteratorResult<undefined, PathEnd> {
  try {
    return steps.next()
  } catch (err) {
    throw new InvalidDagError(cid, 'cannot be decoded', { cause: err })
  }
}
