import { MAX_DICTIONARY_SIZE, MIN_DICTIONARY_SIZE } from '../constants.ts'
import { InvalidDictionaryError } from '../errors.ts'

/** How a formatted dictionary begins (RFC 8878, section 5). libzstd would not use it as raw content. */
const FORMATTED = [0x37, 0xa4, 0x30, 0xec]

/**
 * Check that every implementation takes these bytes as a dictionary of raw content.
 *
 * @throws {InvalidDictionaryError}
 */
export function checkDictionary (dictionary: Uint8Array): void {
  const { byteLength } = dictionary

  if (byteLength < MIN_DICTIONARY_SIZE || byteLength > MAX_DICTIONARY_SIZE) {
    throw new InvalidDictionaryError(byteLength, `a dictionary has ${MIN_DICTIONARY_SIZE} to ${MAX_DICTIONARY_SIZE}`)
  }

  if (FORMATTED.every((byte, i) => dictionary[i] === byte)) {
    throw new InvalidDictionaryError(byteLength, 'it is one that `zstd --train` made, not raw content')
  }
}
