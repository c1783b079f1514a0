// Room: decoders of streams that other tools made, which need not have frames of ours.
import { CorruptFrameError } from '../errors.ts'
import { checkBrotliWindow } from '../format/brotli/brotli-stream.ts'
import type { StreamInput } from './stream-input.ts'

/** @throws {CorruptFrameError} the stream is empty, or its window is larger than the format allows */
export async function checkBrotliStart (input: StreamInput): Promise<void> {
  const start = await input.peek(1)

  if (start.byteLength === 0) {
    throw new CorruptFrameError('brotli', 'it is cut short')
  }

  checkBrotliWindow(start)
}

/** @throws {CorruptFrameError} other bytes follow the stream: no tool reads more than one stream */
export async function checkBrotliEnd (input: StreamInput): Promise<void> {
  if (await input.take() != null) {
    throw new CorruptFrameError('brotli', 'other bytes follow it')
  }
}
