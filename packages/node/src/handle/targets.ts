import type { Target } from './contract.ts'
import type { CidPath } from '../dag/cid-path.ts'

/** A target as rooms take it: a text, or a CID with a path. */
export function targetOf (target: Exclude<Target, string>): CidPath
export function targetOf (target: Target): CidPath | string
export function targetOf (target: Target): CidPath | string {
  if (typeof target === 'string') {
    return target
  }

  // a CID has a field `code`; two copies of multiformats may be loaded, so this is no `instanceof`
  const { cid, path = '' } = 'cid' in target ? target : { cid: target }

  return { cid, path, text: path === '' ? cid.toString() : `${cid}/${path}` }
}

export function targetsOf (targets: readonly Target[]): Array<CidPath | string> {
  return targets.map(target => targetOf(target))
}

/** Bytes as a stream of one chunk; a stream as it is. */
export async function * asyncIterableOf (content: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) {
    yield content
  } else {
    yield * content
  }
}
