import { MAX_FRAME_SIZE } from './constants.ts'
import { CorruptFrameError, FrameTooLargeError, InvalidLevelError, MissingImplementationError } from './errors.ts'
import type { CODES } from './constants.ts'

/** The codecs that the format knows, by the name of their format. */
export type FormatName = keyof typeof CODES

/** The codecs that files can be read and written with. */
export type CodecName = Exclude<FormatName, 'lzo'>

/**
 * What runs a codec: `native` is code of the platform itself (`node:zlib`),
 * `wasm` a WebAssembly module, `js` plain JavaScript.
 */
export type ImplementationName = 'native' | 'wasm' | 'js'

/** The compression levels of a codec, whole numbers, both ends included. */
export interface Levels {
  readonly min: number
  readonly max: number
  readonly default: number
}

export interface CompressOptions {
  /**
   * How hard to try, within the codec's `levels`.
   *
   * @default the codec's `levels.default`
   */
  level?: number
}

export interface DecompressOptions {
  /** How many bytes the frame must decode to, 0 to 16 MiB. */
  size: number
}

/**
 * One frame in, one frame out. The frames are those of docs/format.md, section
 * 4: each is complete by itself and is read by the format's own tools.
 */
export interface Codec {
  readonly name: CodecName
  /** The marker code, see {@link CODES}. */
  readonly code: number
  readonly levels: Levels
  /** What runs this codec here. */
  readonly implementation: ImplementationName

  /**
   * Compress up to 16 MiB into one frame.
   *
   * @throws {InvalidLevelError} the codec has no such level
   * @throws {FrameTooLargeError} there are more than 16 MiB
   * @throws {MissingImplementationError} this implementation only decompresses
   */
  compress (bytes: Uint8Array, options?: CompressOptions): Uint8Array | Promise<Uint8Array>

  /**
   * Decompress exactly one frame into exactly `size` bytes. Never hands out a
   * byte more, and never allocates by a number that the frame claims.
   *
   * @throws {CorruptFrameError} the frame is anything else than that
   * @throws {FrameTooLargeError} `size` is more than 16 MiB
   */
  decompress (frame: Uint8Array, options: DecompressOptions): Uint8Array | Promise<Uint8Array>
}

export interface CodecInit {
  /**
   * Use this implementation and no other.
   *
   * @default the first of the codec's row in implementations.ts that runs here
   */
  implementation?: ImplementationName
}

/** The work of a codec, with the checks that all codecs share already done. */
export interface Implementation {
  compress?: (bytes: Uint8Array, level: number) => Uint8Array | Promise<Uint8Array>
  decompress: (frame: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>
}

/** A row of the table in implementations.ts. */
export interface ImplementationEntry {
  readonly name: ImplementationName
  /** Whether it runs here. A capability, not a platform. */
  readonly available: boolean
  /** Loaded on first use, so that importing a codec costs nothing. */
  readonly load: () => Promise<Implementation>
}

export interface CodecDefinition {
  readonly name: CodecName
  readonly code: number
  readonly levels: Levels
  readonly implementations: readonly ImplementationEntry[]
}

/**
 * Bind a codec to the implementation that runs it.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function createCodec (definition: CodecDefinition, init: CodecInit = {}): Codec {
  const { name, code, levels, implementations } = definition
  const wanted = init.implementation
  const entry = implementations.find(candidate => candidate.available && (wanted == null || candidate.name === wanted))

  if (entry == null) {
    throw new MissingImplementationError(name, wanted ?? 'default', 'is not available on this platform')
  }

  let loading: Promise<Implementation> | undefined
  const load = async (): Promise<Implementation> => loading ??= entry.load()

  return {
    name,
    code,
    levels,
    implementation: entry.name,

    async compress (bytes, options = {}) {
      const level = checkLevel(definition, options.level)
      checkSize(bytes.byteLength)
      const { compress } = await load()

      if (compress == null) {
        throw new MissingImplementationError(name, entry.name, 'only decompresses')
      }

      return compress(bytes, level)
    },

    async decompress (frame, { size }) {
      checkSize(size)
      const { decompress } = await load()

      return decodeExactly(name, frame, size, decompress)
    }
  }
}

/**
 * The level to use, checked.
 *
 * @throws {InvalidLevelError} the codec has no such level
 */
export function checkLevel (codec: Pick<Codec, 'name' | 'levels'>, level: number = codec.levels.default): number {
  const { min, max } = codec.levels

  if (!Number.isInteger(level) || level < min || level > max) {
    throw new InvalidLevelError(codec.name, level, min, max)
  }

  return level
}

function checkSize (size: number): void {
  if (!Number.isInteger(size) || size < 0 || size > MAX_FRAME_SIZE) {
    throw new FrameTooLargeError(size, MAX_FRAME_SIZE)
  }
}

async function decodeExactly (name: CodecName, frame: Uint8Array, size: number, decompress: Implementation['decompress']): Promise<Uint8Array> {
  let bytes: Uint8Array

  try {
    bytes = await decompress(frame, size)
  } catch (err) {
    if (err instanceof CorruptFrameError) {
      throw err
    }

    throw new CorruptFrameError(name, err instanceof Error ? err.message : String(err), { cause: err })
  }

  if (bytes.byteLength !== size) {
    throw new CorruptFrameError(name, `it decodes to ${bytes.byteLength} bytes instead of ${size}`)
  }

  return bytes
}
