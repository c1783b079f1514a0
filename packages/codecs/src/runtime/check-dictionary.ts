import { FORMATTED_DICTIONARY, MAX_DICTIONARY_SIZE, MIN_DICTIONARY_SIZE } from '../constants.ts'
import { InvalidDictionaryError } from '../errors.ts'

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

  if (FORMATTED_DICTIONARY.every((byte, i) => dictionary[i] === byte)) {
    throw new InvalidDictionaryError(byteLength, '`zstd --train` made it, but only raw content is supported')
  }
}
