import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import { DEFAULT_CODEC, DEFAULT_MAX_BLOCK_SIZE, DEFAULT_MIN_SIZE, DEFAULT_VERIFY } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'
import { OrdinaryBlocks } from './ordinary-blocks.ts'
import { Verifier } from './verifier.ts'
import type { CompressedBlockstoreInit, ReadInit, Verify, WithCodecs, WriteInit } from '../init.ts'
import type { Codec } from '@ipfsz/codecs'

/** {@link ReadInit}, validated, with defaults. */
export interface Readers {
  codecs: ReadonlyMap<number, Codec>
  verifier: Verifier
  maxBlockSize: number
}

/** {@link WriteInit}, validated, with defaults. */
export interface Settings extends Readers {
  /** Undefined if new blocks are stored plain. */
  writer: { codec: Codec, level: number } | undefined
  minSize: number
  verify: Verify
  ordinary: OrdinaryBlocks
}

const VERIFY: ReadonlySet<unknown> = new Set<Verify>(['hash', 'length', 'none'])

/** @throws {InvalidParametersError} */
export function resolveReaders ({
  codecs,
  hashers = [],
  maxBlockSize = DEFAULT_MAX_BLOCK_SIZE
}: WithCodecs<ReadInit>): Readers {
  checkSize('maxBlockSize', maxBlockSize, 1)
  checkList('codecs', codecs, 'codecs of @ipfsz/codecs', codec => typeof codec?.decompress === 'function')
  checkList('hashers', hashers, 'multiformats hashers', hasher => typeof hasher?.digest === 'function')

  return {
    codecs: new Map(codecs.map(codec => [codec.code, codec])),
    verifier: new Verifier(hashers),
    maxBlockSize
  }
}

/**
 * @throws {InvalidParametersError}
 * @throws {InvalidLevelError}
 * @throws {UnknownCodecError}
 */
export function resolveSettings (init: WithCodecs<WriteInit> & Pick<CompressedBlockstoreInit, 'verify'>): Settings {
  const { codec: name = DEFAULT_CODEC, level, minSize = DEFAULT_MIN_SIZE, verify = DEFAULT_VERIFY } = init
  const readers = resolveReaders(init)
  const ordinary = new OrdinaryBlocks()

  checkSize('minSize', minSize, 0)

  if (!VERIFY.has(verify)) {
    throw new InvalidParametersError(`verify must be one of ${[...VERIFY].join(', ')}, not ${String(verify)}`)
  }

  if (name === 'none') {
    if (level != null) {
      throw new InvalidParametersError(`The codec none takes no level, but level is ${level}`)
    }

    return { ...readers, writer: undefined, minSize, verify, ordinary }
  }

  const codec = [...readers.codecs.values()].find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, [...codecNames(readers), 'none'])
  }

  return { ...readers, writer: { codec, level: checkLevel(codec, level) }, minSize, verify, ordinary }
}

export function codecNames ({ codecs }: Pick<Readers, 'codecs'>): string[] {
  return Array.from(codecs.values(), ({ name }) => name)
}

function checkList<T> (name: string, list: readonly T[], what: string, isOne: (value: T | null) => boolean): void {
  if (!Array.isArray(list) || !list.every(isOne)) {
    throw new InvalidParametersError(`${name} must be an array of ${what}`)
  }
}

function checkSize (name: string, size: number, min: number): void {
  if (!Number.isSafeInteger(size) || size < min) {
    throw new InvalidParametersError(`${name} must be a whole number of bytes, at least ${min}, not ${String(size)}`)
  }
}
