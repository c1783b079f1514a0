import { BASED_LEVEL } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import type { Codec } from '@ipfsz/codecs'

/** The options of an add that concern dictionaries. */
interface DictionaryOptions {
  dictionaries?: 'auto' | false | undefined
  base?: unknown
  cut?: string | undefined
}

/** What compresses files with a dictionary. */
export interface DictionaryCoder {
  codec: Codec
}

/**
 * Find out what compresses files with dictionaries. Undefined if they are not wanted.
 *
 * @param name - of the codec, or `auto`
 * @throws {InvalidParametersError} they are wanted, and other options exclude them
 */
export function resolveDictionaries (
  name: string,
  { dictionaries = false, base, cut }: DictionaryOptions,
  codecs: readonly Codec[]
): DictionaryCoder | undefined {
  if (dictionaries === false) {
    return undefined
  }

  if (dictionaries !== 'auto') {
    throw new InvalidParametersError(`dictionaries must be auto or false, not ${String(dictionaries)}`)
  }

  if (base != null || cut === 'content') {
    throw new InvalidParametersError("dictionaries cannot be combined with base or cut: 'content'")
  }

  const codec = codecs.find(codec => codec.dictionaries === true && ['auto', codec.name].includes(name))

  if (codec == null) {
    throw new InvalidParametersError(`The codec ${name} does not support dictionaries: use zstd`)
  }

  return { codec }
}

/** Where nearly everything is in the base already, a higher level finds more of it in the same time. */
export function basedLevel ({ levels }: Codec): number {
  return Math.max(levels.default, Math.min(BASED_LEVEL, levels.max))
}
