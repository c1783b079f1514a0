import { freeBytes } from '@ipfsz/utils/free-bytes'
import { hasZlibDictionaries, isSame, runZlib } from '#platform'
import { WrongFrameError } from '../errors.ts'
import { decodeZstdFrameInto } from '../format/zstd/zstd-decode.ts'
import type { DeltaModule } from './delta-module.ts'

/** zlib refuses a smaller buffer. */
const MIN_CHUNK_SIZE = 64

/** A frame to check. */
interface Made {
  frame: Uint8Array
  /** What it is to decode to. */
  content: Uint8Array
  /** The part of the module's dictionary that the frame refers to. */
  dictionary: Uint8Array
}

/**
 * See to it that a frame decodes to the content of a module, and has its checksum. So a fault of an encoder loses
 * nothing. In Node, libzstd decodes it on another thread, and our decoder, which would take the first frame of a
 * process ten times as long, does not. Elsewhere it is done when this returns, and the module is free again.
 *
 * @throws {WrongFrameError}
 */
export async function checkFrame (module: DeltaModule, made: Made): Promise<void> {
  let isRight = false

  try {
    isRight = hasZlibDictionaries() ? await decodesWithZlib(made) : decodesInModule(module, made)
  } catch {
    // it does not decode at all
  }

  if (!isRight) {
    throw new WrongFrameError('zstd')
  }
}

async function decodesWithZlib ({ frame, content, dictionary }: Made): Promise<boolean> {
  const size = content.byteLength
  // with one byte more it needs no second buffer to find out that the frame ends
  const { bytes, consumed } = await runZlib('zstdDecompress', frame, {
    chunkSize: Math.max(size + 1, MIN_CHUNK_SIZE),
    maxOutputLength: size,
    dictionary
  }, false)
  const isRight = isSame(bytes, content) && consumed === frame.byteLength
  freeBytes(bytes)

  return isRight
}

function decodesInModule (module: DeltaModule, { frame, content, dictionary }: Made): boolean {
  const size = content.byteLength
  const room = module.secondRoom().subarray(0, dictionary.byteLength + size)
  decodeZstdFrameInto(room, frame, { size, dictionary, checksumOf: () => module.checksum() })

  return module.isContentAt(dictionary.byteLength)
}
