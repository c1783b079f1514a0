import { MAX_KEY_LENGTH, MAX_KEYS } from '../constants.ts'
import { childrenOf, parseAnswer, textOf } from './parse.ts'
import type { XmlElement } from '@rgrove/parse-xml'
import type { ObjectInfo } from '../contract.ts'

/** A page of a listing. Keys are whole, with the prefix. */
export interface Listing {
  objects: ObjectInfo[]
  /** Whether others follow. */
  truncated: boolean
}

/** @throws {Error} it is no listing */
export function parseListing (body: Uint8Array): Listing {
  const root = parseAnswer(new TextDecoder().decode(body), 'ListBucketResult')
  const encoded = textOf(root, 'EncodingType') === 'url'
  const objects = childrenOf(root, 'Contents').map(element => parseObject(element, encoded))
  const truncated = textOf(root, 'IsTruncated')
  const count = textOf(root, 'KeyCount')

  // a garbage collection would miss pins that a list leaves out
  if (truncated !== 'true' && truncated !== 'false') {
    throw new Error('it does not say whether more follows')
  }

  if (objects.length > MAX_KEYS) {
    throw new Error(`it has ${objects.length} objects, more than the ${MAX_KEYS} that were asked for`)
  }

  if (count != null && Number(count) !== objects.length) {
    throw new Error(`it has ${objects.length} objects, and says ${count}`)
  }

  return { objects, truncated: truncated === 'true' }
}

function parseObject (element: XmlElement, encoded: boolean): ObjectInfo {
  const text = textOf(element, 'Key') ?? ''
  const size = Number(textOf(element, 'Size') ?? Number.NaN)
  const modified = new Date(textOf(element, 'LastModified') ?? '')

  if (text === '' || !Number.isSafeInteger(size) || size < 0 || Number.isNaN(modified.getTime())) {
    throw new Error('an object of the listing has no key, size or time')
  }

  const key = encoded ? decodeURIComponent(text.replaceAll('+', '%20')) : text

  if (Buffer.byteLength(key) > MAX_KEY_LENGTH) {
    throw new Error(`it has a key of more than ${MAX_KEY_LENGTH} bytes`)
  }

  return { key, size, modified }
}
